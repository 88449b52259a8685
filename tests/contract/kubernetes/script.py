"""What people type: sixty commands of kubectl, with which exit code each ends and what it prints."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

WIDGET = """apiVersion: test.example.com/v1
kind: Widget
metadata: {name: one, labels: {app: a}}
spec: {note: first, color: red}
"""
TWO = """apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: first, labels: {app: a}}, data: {a: "1"}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: second, labels: {app: b}}, data: {b: "2"}}
"""
_CHANGES = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uid>"),
    (re.compile(r'(resourceVersion"?: )"\d+"'), r'\1"<version>"'),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "<time>"),
    (re.compile(r"/\S*/(LIVE|MERGED)-\d+/"), r"<\1>/"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}"), "<time>"),
    (re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+"), "<token>"),
    (re.compile(r"(?<=\s)\d{1,3}(s|m|m\d+s)(?=\s|$)"), "<age>"),
    (re.compile(r" +(?=\n|$)"), ""),
    (re.compile(r" {2,}"), "  "),
]


@dataclass(frozen=True)
class Command:
    words: str
    given: str = ""


SCRIPT = [
    Command("apply -f -", WIDGET),
    Command("apply -f -", WIDGET),
    Command("apply -f -", WIDGET.replace("first", "second")),
    Command("diff -f -", WIDGET),
    Command("get widgets"),
    Command("get widget one -o yaml"),
    Command("get widgets -o name"),
    Command("get widgets -o wide"),
    Command("get wg"),
    Command("get widget absent"),
    Command("get widget absent --ignore-not-found"),
    Command("get widget one -o jsonpath={.spec.note}"),
    Command("get widgets -o custom-columns=NAME:.metadata.name,NOTE:.spec.note"),
    Command("label widget one tier=front"),
    Command("label widget one tier=back"),
    Command("label --overwrite widget one tier=back"),
    Command("get widgets -l tier=back,app!=b -o name"),
    Command("get widgets -l tier=front"),
    Command("get widgets --show-labels"),
    Command("annotate widget one why=because"),
    Command("annotate widget one why-"),
    Command('patch widget one --type merge -p {"spec":{"note":"merged"}}'),
    Command('patch widget one --type json -p [{"op":"replace","path":"/spec/note","value":"replaced"}]'),
    Command('patch widget one -p {"spec":{"note":"strategic"}}'),
    Command('patch widget one --type merge -p {"spec":{"color":"pink"}}'),
    Command('patch widget one --subresource=status --type merge -p {"status":{"phase":"Ready"}}'),
    Command("scale widget one --replicas=3"),
    Command("get widget one -o jsonpath={.spec.replicas}"),
    Command("replace -f -", WIDGET.replace("name: one", "name: absent")),
    Command("apply --server-side --field-manager=me -f -", WIDGET),
    Command("apply --server-side --field-manager=me --force-conflicts -f -", WIDGET),
    Command("apply --server-side --field-manager=other -f -", WIDGET.replace("first", "third")),
    Command('get widget one --show-managed-fields -o jsonpath={.metadata.managedFields[?(@.manager=="me")].operation}'),
    Command("create -f - --dry-run=server -o name", WIDGET.replace("name: one", "name: tried")),
    Command("create -f - --validate=strict", WIDGET.replace("color: red", "colour: red").replace("one", "odd")),
    Command("wait widget one --for=jsonpath={.status.phase}=Ready --timeout=5s"),
    Command("delete widget one --wait=true"),
    Command("delete widget one"),
    Command("apply -f -", TWO),
    Command("get configmaps -l app -o name"),
    Command("get configmap first second -o name"),
    Command("get configmaps --field-selector metadata.name=first -o name"),
    Command("get configmaps --sort-by=.metadata.name -l app"),
    Command(
        "apply -f - --prune -l app --prune-allowlist=core/v1/ConfigMap", TWO.replace("name: second", "name: third")
    ),
    Command("describe configmap first"),
    Command("create configmap made --from-literal=a=b"),
    Command("create configmap made --from-literal=a=b"),
    Command("create secret generic hidden --from-literal=k=v"),
    Command("get secret hidden -o jsonpath={.data.k}"),
    Command("describe secret hidden"),
    Command("create serviceaccount robot"),
    Command("create token robot"),
    Command("create role reader --verb=get,list --resource=configmaps"),
    Command("create rolebinding reads --role=reader --user=jane"),
    Command("get roles,rolebindings"),
    Command("get rolebindings -o wide"),
    Command("describe role reader"),
    Command("auth can-i delete widgets"),
    Command("auth can-i get configmaps --as-uid=1"),
    Command("api-resources --api-group=test.example.com"),
    Command("explain widget.spec.note"),
    Command("explain widget.nothing"),
    Command("get --raw /apis/test.example.com/v1/nothing"),
    Command("delete configmaps -l app"),
    Command("delete configmaps --all"),
    Command("get nothing"),
]


def play(kubectl: str, kubeconfig: Path, namespace: str) -> list[dict[str, object]]:
    """Every command in turn, in this namespace. What is said of errors is each server's own."""
    told: list[dict[str, object]] = []
    for command in SCRIPT:
        words = [kubectl, "--kubeconfig", str(kubeconfig), "-n", namespace, *command.words.split(" ")]
        done = subprocess.run(words, input=command.given, capture_output=True, text=True, timeout=60, check=False)
        told.append({"asked": command.words, "exit": done.returncode, "said": _normal(done.stdout, namespace)})
    return told


def _normal(text: str, namespace: str) -> str:
    text = text.replace(namespace, "<namespace>")
    for pattern, word in _CHANGES:
        text = pattern.sub(word, text)
    return text
