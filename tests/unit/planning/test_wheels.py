"""When installing runs nobody's code."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.inspection import Inspection
from planning.wheels import all_plain, node_scripts_absent, python_wheels_suffice


def seen(**contents: str) -> Inspection:
    named = {name.replace("__", "."): text for name, text in contents.items()}
    return Inspection("a" * 40, "", tuple(named), named)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "# a comment",
        "flask==3.1.3",
        "flask[async, dotenv] >= 3, < 4 ; python_version < '3.13'  # why",
        "a-b_c.d~=1.2.*",
        "flask==3 \\",
        "    --hash=sha256:abc0 \\",
        "flask==3 --hash=sha256:abc --hash=sha256:def",
    ],
)
def test_plain_requirements(line: str) -> None:
    assert all_plain([line])


@pytest.mark.parametrize(
    "line",
    [
        "-e .",
        "-\\",
        "--editable=.",
        "-r other.txt",
        ".",
        "./package",
        "/srv/package",
        "name @ file:///app",
        "name @ ./app",
        "@ ./app",
        "name @ git+https://example.com/x",
        "https://example.com/x.whl",
        "--index-url https://example.com",
        "--no-binary :all:",
        "${NAME}",
        "package.whl/../../x",
        "x" * 500,
    ],
)
def test_everything_else_is_not_plain(line: str) -> None:
    assert not all_plain([line])


@given(st.text(alphabet="ab-=<>~!.*[], @/\\\n;#:", max_size=60))
def test_nothing_plain_names_a_path_or_an_option(text: str) -> None:
    for line in text.splitlines():
        if all_plain([line]):
            code = line.partition("#")[0]
            assert not code.strip().startswith(("-e", "-r", "-\\", "@", "/", "."))
            assert "/" not in code.partition(";")[0]


def test_python_projects() -> None:
    plain = '[project]\nname = "x"\ndependencies = ["flask>=3"]\n'
    lock = '[[package]]\nname = "flask"\nsource = { registry = "https://pypi.org/simple" }\n'
    own = '[[package]]\nname = "x"\nsource = { virtual = "." }\n'
    other = '[[package]]\nname = "y"\nsource = { "editable" = "lib" }\n'
    assert python_wheels_suffice(seen(requirements__txt="flask\n"), "requirements")
    assert not python_wheels_suffice(seen(requirements__txt="flask\n" * 100_000), "requirements")
    assert python_wheels_suffice(seen(pyproject__toml=plain), "pyproject")
    assert python_wheels_suffice(seen(pyproject__toml=plain, uv__lock=lock + own), "uv-lock")
    assert not python_wheels_suffice(seen(pyproject__toml=plain, uv__lock=lock + other), "uv-lock")
    assert not python_wheels_suffice(seen(pyproject__toml=plain + 'dynamic = ["version"]\n'), "pyproject")
    assert not python_wheels_suffice(seen(pyproject__toml=plain + '[tool."uv"]\nx = 1\n'), "pyproject")
    assert not python_wheels_suffice(seen(requirements__txt="flask", uv__toml=""), "requirements")


def test_node_projects() -> None:
    def lock(**package: object) -> str:
        return json.dumps({"packages": {"node_modules/x": package}})

    assert node_scripts_absent(Inspection("", "", (), {"package-lock.json": lock(version="1")}))
    for bad in (lock(hasInstallScript=True), lock(resolved="git+ssh://x"), "{", ""):
        assert not node_scripts_absent(Inspection("", "", (), {"package-lock.json": bad}))
    hidden = lock(hasInstallScript=True).replace("has", "\\u0068as")
    assert not node_scripts_absent(Inspection("", "", (), {"package-lock.json": hidden}))
    assert not node_scripts_absent(Inspection("", "", (), {"package-lock.json": lock(), ".npmrc": "git=x"}))
