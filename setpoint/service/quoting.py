"""How systemd reads what is written in a unit file. Pure."""


class Unquotable(ValueError):
    """No unit file can hold this value; the message says why."""


def word(text: str) -> str:
    """One word of a command or one variable, whatever is in it. For commands that begin with `:`, in which `$` means
    nothing."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{_checked(escaped)}"'


def rest_of_line(text: str) -> str:
    """Where systemd takes all up to the end of the line as it is, without quotes."""
    if text != text.strip() or text.endswith("\\"):
        raise Unquotable(f"{text!r} cannot be written into a unit: it begins or ends with a space, or ends with '\\'.")
    return _checked(text.replace("%", "%%"))


def _checked(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Unquotable(f"{text!r} cannot be written into a unit: it is not UTF-8.") from None
    if any(ord(character) < 32 or ord(character) == 127 for character in text):
        raise Unquotable(f"{text!r} cannot be written into a unit: it holds a line break or another control character.")
    return text
