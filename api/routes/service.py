"""The service about itself: is it alive, is it ready, what does it answer, what do its errors mean."""

from html import escape

from api.http.answers import Answer
from api.http.call import Call
from api.problems import CODES, Problem, not_found, unavailable
from api.store.people import has_users

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{code}</title>
<h1>{title}</h1>
<p>Code <code>{code}</code>, status {status}. The answer's <code>detail</code> says what to do.</p></html>
"""


async def healthz(_call: Call) -> Answer:
    return Answer({"status": "ok"})


async def readyz(call: Call) -> Answer:
    if not call.platform.ready():
        raise unavailable("The view of the records is not complete yet.", 1)
    try:
        await call.platform.database.run(has_users)
    except Problem:
        raise unavailable("The store of keys does not answer.") from None
    return Answer({"status": "ready"})


async def openapi(call: Call) -> Answer:
    return Answer(call.platform.openapi)


async def error_page(call: Call) -> Answer:
    code = CODES.get(call.params["code"])
    if code is None:
        raise not_found()
    page = _PAGE.format(code=escape(call.params["code"]), title=escape(code.title), status=code.status)
    return Answer(page.encode(), media_type="text/html; charset=utf-8")
