"""SymPy both ways: expressions of functions of time become text, and texts become expressions.

>>> import sympy as sp
>>> from sympy.physics.mechanics import dynamicsymbols
>>> theta, l = dynamicsymbols("theta"), sp.Symbol("l", positive=True)
>>> text(l**2*theta.diff()**2/2 + sp.Rational(981, 100)*l*sp.cos(theta))
"l^2*theta'^2/2 + 981*l*cos(theta)/100"
"""

from __future__ import annotations

import re
from typing import Any, Callable

try:
    import sympy as sp
    from sympy.printing.str import StrPrinter
except ImportError as error:
    raise ImportError("SymPy expressions need SymPy: pip install 'extremal[sympy]'") from error

from ._extremal import Model

#: The time of `sympy.physics.vector.dynamicsymbols`.
TIME = sp.Symbol("t")

_NAME = re.compile(r"[^\W\d]\w*(\[\d+\])?\Z")


class Unreadable(ValueError):
    """What the other side has no words for."""


class _TextPrinter(StrPrinter):  # type: ignore[misc]
    """The expression language of model files."""

    def __init__(self) -> None:
        super().__init__({"full_prec": False})

    def emptyPrinter(self, expr: Any) -> str:
        raise Unreadable(f"`{sp.sstr(expr)}` cannot be written as an expression of a model")

    def _name(self, name: str) -> str:
        name = re.sub(r"_?\{?\[?(\d+)\]?\}?\Z", r"\1", name) if "{" in name else name
        if not _NAME.match(name):
            raise Unreadable(f"`{name}` cannot be a name in a model: letters, digits and underscores")
        return name

    def _print_Symbol(self, expr: Any) -> str:
        return self._name(expr.name)

    _print_Dummy = _print_Symbol

    def _print_Derivative(self, expr: Any) -> str:
        function = expr.expr
        if not isinstance(function, sp.core.function.AppliedUndef):
            whole = expr.doit()
            if whole.has(sp.Derivative) and whole == expr:
                raise Unreadable(f"`{sp.sstr(expr)}` is not the derivative of a function of time")
            return str(self._print(whole))
        self._check_time(function)
        order = sum(count for variable, count in expr.variable_count)
        if any(variable != function.args[0] for variable, _ in expr.variable_count):
            raise Unreadable(f"`{sp.sstr(expr)}` is not a time derivative")
        return self._name(function.func.__name__) + "'" * int(order)

    def _check_time(self, function: Any) -> None:
        if len(function.args) != 1 or not isinstance(function.args[0], sp.Symbol):
            raise Unreadable(f"`{sp.sstr(function)}` is not a function of time alone")

    def _print_Function(self, expr: Any) -> str:
        if isinstance(expr, sp.core.function.AppliedUndef):
            self._check_time(expr)
            return self._name(expr.func.__name__)
        name = _FUNCTIONS.get(type(expr))
        if name is not None:
            return f"{name}({', '.join(str(self._print(argument)) for argument in expr.args)})"
        rewrite = _REWRITTEN.get(type(expr))
        if rewrite is None:
            return self.emptyPrinter(expr)
        return f"({self._print(rewrite(*expr.args))})"

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        if expr.exp == sp.S.Half:
            return f"sqrt({self._print(expr.base)})"
        if expr.exp == -sp.S.Half:
            return f"1/sqrt({self._print(expr.base)})"
        return str(super()._print_Pow(expr, rational=False)).replace("**", "^")

    def _print_Float(self, expr: Any) -> str:
        return repr(float(expr))

    def _print_Pi(self, expr: Any) -> str:
        return "pi"

    def _print_Exp1(self, expr: Any) -> str:
        return "exp(1)"

    def _print_Piecewise(self, expr: Any) -> str:
        pieces = list(expr.args)
        value, condition = pieces[-1]
        if condition != sp.true:
            raise Unreadable(f"`{sp.sstr(expr)}` has no value where none of its conditions holds")
        out = str(self._print(value))
        for value, condition in reversed(pieces[:-1]):
            out = f"if({self._print(condition)}, {self._print(value)}, {out})"
        return out

    def _print_Relational(self, expr: Any) -> str:
        return f"{self._print(expr.lhs)} {expr.rel_op} {self._print(expr.rhs)}"

    def _print_And(self, expr: Any) -> str:
        return " and ".join(f"({self._print(part)})" for part in expr.args)

    def _print_Or(self, expr: Any) -> str:
        return " or ".join(f"({self._print(part)})" for part in expr.args)


_FUNCTIONS: dict[Any, str] = {
    sp.sin: "sin", sp.cos: "cos", sp.tan: "tan", sp.asin: "asin", sp.acos: "acos", sp.atan: "atan", sp.atan2: "atan2",
    sp.sinh: "sinh", sp.cosh: "cosh", sp.tanh: "tanh", sp.asinh: "asinh", sp.acosh: "acosh", sp.atanh: "atanh",
    sp.exp: "exp", sp.log: "log", sp.Abs: "abs", sp.sign: "sign", sp.Max: "max", sp.Min: "min",
}  # fmt: skip

_REWRITTEN: dict[Any, Callable[..., Any]] = {
    sp.sec: lambda x: 1 / sp.cos(x),
    sp.csc: lambda x: 1 / sp.sin(x),
    sp.cot: lambda x: sp.cos(x) / sp.sin(x),
    sp.sech: lambda x: 1 / sp.cosh(x),
    sp.csch: lambda x: 1 / sp.sinh(x),
    sp.coth: lambda x: sp.cosh(x) / sp.sinh(x),
    sp.Heaviside: lambda x, half=sp.S.Half: sp.Piecewise((0, x < 0), (half, x <= 0), (1, True)),
}


def text(expression: Any) -> str:
    """A SymPy expression as the text of a model file. Matrices of one element are that element.

    What the expression language has no words for is refused by name.
    """
    if isinstance(expression, sp.MatrixBase):
        if expression.shape != (1, 1):
            raise Unreadable("a matrix is not an expression: take its elements")
        expression = expression[0]
    expression = sp.sympify(expression)
    for part in sp.preorder_traversal(expression):
        if not isinstance(part, _KNOWN):
            raise Unreadable(f"`{sp.sstr(part)}` cannot be written as an expression of a model")
    return str(_TextPrinter().doprint(expression))


#: What the printer has words for; it refuses some of these in its turn.
_KNOWN = (
    sp.Add, sp.Mul, sp.Pow, sp.Rational, sp.Float, sp.Symbol, sp.core.function.AppliedUndef, sp.Derivative, sp.Tuple,
    type(sp.pi), type(sp.E), sp.Piecewise, sp.functions.elementary.piecewise.ExprCondPair, sp.core.relational.Relational,
    sp.And, sp.Or, type(sp.true), *_FUNCTIONS, *_REWRITTEN,
)  # fmt: skip


class Reader:
    """Texts of a model as SymPy expressions: coordinates are functions of time, the rest symbols.

    `symbols` gives the caller's own objects by name, since SymPy tells symbols with other assumptions apart.
    """

    def __init__(self, model: Model, symbols: dict[str, Any] | None = None) -> None:
        tables = model.tables
        moving = list(model.coordinates)
        for table in ("definitions", "entropies", "states", "matter", "controls", "action"):
            moving += list(tables.get(table, {}) if isinstance(tables.get(table), dict) else [])
        self._moving = set(moving)
        self._time = sp.Symbol(tables.get("boundary", {}).get("independent", "t"))
        self._symbols = dict(symbols or {})
        self._constraints = set(tables.get("constraints", {}))

    def symbol(self, name: str, primes: int = 0) -> Any:
        """What a name stands for."""
        if name in self._symbols:
            found = self._symbols[name]
        elif name == self._time.name:
            found = self._time
        elif self._moves(name):
            found = sp.Function(name)(self._time)
        else:
            found = sp.Symbol(name)
        if not primes:
            return found
        if found.is_Symbol and found != self._time:
            return sp.Symbol(name + "'" * primes)
        return sp.Derivative(found, (self._time, primes))

    def _moves(self, name: str) -> bool:
        family = name.split("[")[0]
        bound = name.removeprefix("lambda_").split("[")[0]
        of_momentum = name.startswith("p_") and name[2:] in self._moving
        return bool({name, family} & self._moving) or of_momentum or name != bound and bound in self._constraints

    def expression(self, text: str) -> Any:
        """An expression."""
        return _Parser(text, self.symbol).whole()

    def equation(self, left: str, right: str) -> Any:
        """`sympy.Eq` of both sides, never decided on the spot."""
        return sp.Eq(self.expression(left), self.expression(right), evaluate=False)


_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*(?:\[\d+\])?)(?P<primes>'*)"
    r"|(?P<operator><=|>=|==|!=|[-+*/^(),<>]))"
)

_READ: dict[str, Callable[..., Any]] = {
    **{name: function for function, name in _FUNCTIONS.items()},
    "sqrt": sp.sqrt,
    "pow": lambda base, exponent: base**exponent,
    "cbrt": lambda x: sp.sign(x) * sp.Abs(x) ** sp.Rational(1, 3),
    "if": lambda condition, then, other: sp.Piecewise((then, condition), (other, True)),
}


class _Parser:
    """The expression language, by precedence; a chain of operators is a loop, nesting is recursion."""

    def __init__(self, text: str, symbol: Callable[[str, int], Any]) -> None:
        self._symbol = symbol
        self._tokens: list[tuple[str, str, int]] = []
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise Unreadable(f"`{text[at:].strip()}` is not read as an expression")
            kind = match.lastgroup if match.lastgroup != "primes" else "name"
            self._tokens.append((str(kind), match[str(kind)], len(match["primes"] or "")))
            at = match.end()
        self._at = 0

    def whole(self) -> Any:
        value = self._either()
        if self._at < len(self._tokens):
            raise Unreadable(f"`{self._tokens[self._at][1]}` is not expected here")
        return value

    def _next(self, *operators: str) -> str | None:
        if self._at < len(self._tokens):
            _, text, _ = self._tokens[self._at]
            if text in operators:
                self._at += 1
                return text
        return None

    def _expect(self, operator: str) -> None:
        if self._next(operator) is None:
            raise Unreadable(f"`{operator}` is missing")

    def _either(self) -> Any:
        value = self._both()
        while self._next("or"):
            value = sp.Or(value, self._both())
        return value

    def _both(self) -> Any:
        value = self._compared()
        while self._next("and"):
            value = sp.And(value, self._compared())
        return value

    def _compared(self) -> Any:
        value = self._sum()
        operator = self._next("<", "<=", ">", ">=", "==", "!=")
        return value if operator is None else sp.Rel(value, self._sum(), operator)

    def _sum(self) -> Any:
        value = self._product()
        while operator := self._next("+", "-"):
            other = self._product()
            value = value + other if operator == "+" else value - other
        return value

    def _product(self) -> Any:
        value = self._signed()
        while operator := self._next("*", "/"):
            other = self._signed()
            value = value * other if operator == "*" else value / other
        return value

    def _signed(self) -> Any:
        if self._next("-"):
            return -self._signed()
        if self._next("+"):
            return self._signed()
        base = self._atom()
        return base ** self._signed() if self._next("^") else base

    def _atom(self) -> Any:
        if self._next("("):
            value = self._either()
            self._expect(")")
            return value
        if self._at >= len(self._tokens):
            raise Unreadable("the expression ends too early")
        kind, text, primes = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return sp.Rational(text)
        if kind != "name":
            raise Unreadable(f"`{text}` is not expected here")
        if text == "pi":
            return sp.pi
        if self._next("("):
            arguments = [self._either()]
            while self._next(","):
                arguments.append(self._either())
            self._expect(")")
            if text not in _READ:
                raise Unreadable(f"`{text}` is not a function that SymPy has")
            return _READ[text](*arguments)
        return self._symbol(text, primes)
