"""An operator that has a handler of every kind that kopf knows, and says what each saw. Not for admission: nothing here
calls webhooks."""

EVERY_KIND = """
import kopf

tries = {}

def say(*words):
    print("SAW", *words, flush=True)

@kopf.on.startup()
async def startup(settings, **_):
    settings.persistence.finalizer = "tests.example.com/every"
    settings.posting.enabled = True
    settings.posting.loggers = True
    say("startup")

@kopf.on.cleanup()
async def cleanup(**_):
    say("cleanup")

@kopf.on.login()
def login(**kwargs):
    say("login")
    return kopf.login_with_kubeconfig(**kwargs)

@kopf.on.probe(id="answer")
def probe(**_):
    return 42

@kopf.index("test.example.com", "v1", "widgets")
def notes(name, spec, **_):
    return {name: spec["note"]}

@kopf.on.event("test.example.com", "v1", "widgets")
async def event(event, name, **_):
    say("event", event["type"], name)

@kopf.on.resume("test.example.com", "v1", "widgets")
async def resume(name, **_):
    say("resume", name)

@kopf.on.create("test.example.com", "v1", "widgets")
async def create(name, retry, **_):
    @kopf.subhandler(id="part")
    async def part(**_):
        say("part", name)
        return {"done": True}
    say("create", name)

@kopf.on.create("test.example.com", "v1", "widgets")
async def hesitate(name, retry, **_):
    if retry == 0:
        raise kopf.TemporaryError("not yet", delay=0.1)
    say("retried", name)

@kopf.on.create("test.example.com", "v1", "widgets")
async def refuse(name, body, **_):
    raise kopf.PermanentError("never")

@kopf.on.update("test.example.com", "v1", "widgets")
async def update(name, diff, notes, **_):
    say("update", name, ",".join(".".join(change[1]) for change in diff), *notes[name])

@kopf.on.field("test.example.com", "v1", "widgets", field="spec.color")
async def field(name, old, new, **_):
    say("field", name, old, new)

@kopf.on.delete("test.example.com", "v1", "widgets")
async def delete(name, **_):
    say("delete", name)

@kopf.timer("test.example.com", "v1", "widgets", interval=0.1)
async def timer(name, patch, status, **_):
    patch.status["replicas"] = (status.get("replicas") or 0) + 1

@kopf.daemon("test.example.com", "v1", "widgets")
async def daemon(name, stopped, **_):
    say("daemon", name)
    await stopped.wait()
    say("stopped", name)
"""
