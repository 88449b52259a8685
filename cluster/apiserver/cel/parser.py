"""CEL source to a Python function of the variables. Unknown names and functions are refused here."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from cluster.apiserver.cel import functions, macros
from cluster.apiserver.cel.lexer import CelError, Token, string_value, tokens

Scope = Mapping[str, Any]
Expression = Callable[[Scope], Any]

RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": functions.equal,
    "!=": lambda left, right: not functions.equal(left, right),
    "<": functions.ordered(operator.lt),
    "<=": functions.ordered(operator.le),
    ">": functions.ordered(operator.gt),
    ">=": functions.ordered(operator.ge),
    "in": functions.contains,
}
SUMS = {"+": functions.add, "-": functions.arithmetic(operator.sub)}
PRODUCTS = {
    "*": functions.arithmetic(operator.mul),
    "/": functions.arithmetic(functions.divide),
    "%": functions.arithmetic(functions.remainder),
}
CONSTANTS = {"true": True, "false": False, "null": None}
MAX_DEPTH = 60


def compile_expression(source: str, variables: frozenset[str]) -> tuple[Expression, frozenset[str]]:
    """The expression and which of `variables` it uses. Raises CelError if it is not in the subset."""
    parser = _Parser(tokens(source), variables)
    expression = parser.expression()
    parser.expect("end", "")
    return expression, frozenset(parser.used)


class _Parser:
    def __init__(self, source: list[Token], variables: frozenset[str]) -> None:
        self._tokens = source
        self._position = 0
        self._variables = list(variables)
        self._depth = 0
        self.used: set[str] = set()

    def expression(self) -> Expression:
        self._descend()
        condition = self._or()
        if self._take("?"):
            then = self._or()
            self.expect("op", ":")
            otherwise = self.expression()
            condition = macros.conditional(condition, then, otherwise)
        self._depth -= 1
        return condition

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise CelError("the expression is nested too deeply")

    def expect(self, kind: str, text: str) -> str:
        token = self._tokens[self._position]
        if token.kind != kind or (text and token.text != text):
            raise CelError(f"Syntax error: {token.text or 'end of expression'!r}, expected {text or kind}")
        self._position += 1
        return token.text

    def _take(self, *texts: str) -> str:
        token = self._tokens[self._position]
        if token.kind in ("op", "name") and token.text in texts:
            self._position += 1
            return token.text
        return ""

    def _or(self) -> Expression:
        left = self._and()
        while self._take("||"):
            left = macros.either(left, self._and())
        return left

    def _and(self) -> Expression:
        left = self._relation()
        while self._take("&&"):
            left = macros.both(left, self._relation())
        return left

    def _relation(self) -> Expression:
        return self._binary(self._sum, RELATIONS)

    def _sum(self) -> Expression:
        return self._binary(self._product, SUMS)

    def _product(self) -> Expression:
        return self._binary(self._unary, PRODUCTS)

    def _binary(self, below: Callable[[], Expression], table: Mapping[str, Callable[[Any, Any], Any]]) -> Expression:
        left = below()
        while text := self._take(*table):
            left = macros.binary(table[text], left, below())
        return left

    def _unary(self) -> Expression:
        sign = self._take("!", "-")
        if not sign:
            return self._member()
        self._descend()
        value = self._unary()
        self._depth -= 1
        return macros.negation(value) if sign == "!" else macros.binary(SUMS["-"], lambda _: 0, value)

    def _member(self) -> Expression:
        value = self._primary()
        while text := self._take(".", "["):
            if text == "[":
                value = macros.binary(functions.index, value, self.expression())
                self.expect("op", "]")
                continue
            name = self.expect("name", "")
            value = self._call(value, name) if self._take("(") else macros.select(value, macros.field_name(name))
        return value

    def _primary(self) -> Expression:
        token = self._tokens[self._position]
        self._position += 1
        if token.kind == "name":
            return self._name(token.text)
        if token.kind == "op" and token.text in "([{":
            return self._bracketed(token.text)
        if token.kind in ("int", "float", "string"):
            return macros.constant(_literal(token))
        raise CelError(f"Syntax error: unexpected {token.text or 'end of expression'!r}")

    def _bracketed(self, opening: str) -> Expression:
        if opening == "(":
            inner = self.expression()
            self.expect("op", ")")
            return inner
        if opening == "[":
            return macros.listing(self._list_until("]"))
        pairs: list[tuple[Expression, Expression]] = []
        while not self._take("}"):
            key = self.expression()
            self.expect("op", ":")
            pairs.append((key, self.expression()))
            if not self._take(","):
                self.expect("op", "}")
                break
        return macros.mapping(pairs)

    def _list_until(self, closing: str) -> list[Expression]:
        items: list[Expression] = []
        while not self._take(closing):
            items.append(self.expression())
            if not self._take(","):
                self.expect("op", closing)
                break
        return items

    def _name(self, name: str) -> Expression:
        if name in CONSTANTS:
            return macros.constant(CONSTANTS[name])
        if self._take("("):
            return self._has() if name == "has" else self._global(name)
        if name not in self._variables:
            raise CelError(f"undeclared reference to '{name}'")
        self.used.add(name)
        return lambda scope: scope[name]

    def _has(self) -> Expression:
        """`has(a.b.c)`: the last token before the parenthesis is the field asked for."""
        value = self._primary()
        field = ""
        while text := self._take(".", "["):
            if field:
                value = macros.select(value, field)
                field = ""
            if text == "[":
                value = macros.binary(functions.index, value, self.expression())
                self.expect("op", "]")
            else:
                field = macros.field_name(self.expect("name", ""))
        self.expect("op", ")")
        if not field:
            raise CelError("invalid argument to has() macro")
        return macros.presence(value, field)

    def _global(self, name: str) -> Expression:
        arguments = self._list_until(")")
        if name not in functions.GLOBALS or len(arguments) not in functions.GLOBALS[name][1]:
            raise CelError(f"undeclared reference to function '{name}' with {len(arguments)} arguments")
        return macros.call(functions.GLOBALS[name][0], arguments)

    def _call(self, target: Expression, name: str) -> Expression:
        if name in macros.COMPREHENSIONS:
            return self._comprehension(target, name)
        arguments = self._list_until(")")
        if name not in functions.METHODS or len(arguments) not in functions.METHODS[name][1]:
            raise CelError(f"undeclared reference to function '{name}' with {len(arguments)} arguments")
        return macros.call(functions.METHODS[name][0], [target, *arguments])

    def _comprehension(self, target: Expression, name: str) -> Expression:
        variable = self.expect("name", "")
        self.expect("op", ",")
        self._variables.append(variable)
        body = self.expression()
        self._variables.pop()
        self.expect("op", ")")
        return macros.COMPREHENSIONS[name](target, variable, body)


def _literal(token: Token) -> Any:
    if token.kind == "string":
        return string_value(token.text)
    if token.kind == "float":
        return float(token.text)
    digits = token.text.rstrip("u")
    # Not base 0, in which a decimal number that begins with 0 is an error.
    return int(digits, 16 if digits.startswith("0x") else 10)
