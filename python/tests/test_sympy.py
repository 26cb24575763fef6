"""SymPy both ways."""

import pytest
import sympy as sp
from sympy.physics.mechanics import (
    Inertia, Lagrangian, LagrangesMethod, Particle, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia,
)

import extremal as ex
from extremal.symbolic import Reader, Unreadable, text

t = dynamicsymbols._t
m, m1, m2, M, k, k1, k2, l, l1, l2, g, R, r, I1, I2, I3, w, a, b, c = sp.symbols("m m1 m2 M k k1 k2 l l1 l2 g R r I1 I2 I3 w a b c")
x, y, z, q1, q2, q3, theta, phi, psi = dynamicsymbols("x y z q1 q2 q3 theta phi psi")
N = ReferenceFrame("N")
O = Point("O")
O.set_vel(N, 0)


def particle(place, mass, height=None):
    """A particle there, with the potential of gravity along y, or a height of its own."""
    point = O.locatenew("P", place)
    point.set_vel(N, place.dt(N))
    body = Particle("P", point, mass)
    body.potential_energy = mass * g * (place.dot(N.y) if height is None else height)
    return body


def at(frame, right, up):
    return right * frame.x + up * frame.y


def pendulum():
    return Lagrangian(N, particle(at(N, l * sp.sin(theta), -l * sp.cos(theta)), m)), [theta]


def spring():
    body = particle(x * N.x, m)
    body.potential_energy = k * x**2 / 2
    return Lagrangian(N, body), [x]


def two_springs():
    first, second = particle(q1 * N.x, m1), particle(q2 * N.x, m2)
    first.potential_energy, second.potential_energy = k1 * q1**2 / 2, k2 * (q2 - q1) ** 2 / 2
    return Lagrangian(N, first, second), [q1, q2]


def double_pendulum():
    upper = at(N, l1 * sp.sin(q1), -l1 * sp.cos(q1))
    lower = upper + at(N, l2 * sp.sin(q2), -l2 * sp.cos(q2))
    return Lagrangian(N, particle(upper, m1), particle(lower, m2)), [q1, q2]


def spring_pendulum():
    body = particle(at(N, x * sp.sin(theta), -x * sp.cos(theta)), m)
    body.potential_energy += k * (x - l) ** 2 / 2
    return Lagrangian(N, body), [x, theta]


def cart_pole():
    return Lagrangian(N, particle(x * N.x, M), particle(at(N, x + l * sp.sin(theta), -l * sp.cos(theta)), m)), [x, theta]


def spherical_pendulum():
    place = l * (sp.sin(theta) * sp.cos(phi) * N.x + sp.sin(theta) * sp.sin(phi) * N.z - sp.cos(theta) * N.y)
    return Lagrangian(N, particle(place, m)), [theta, phi]


def kepler():
    body = particle(at(N, x, y), m)
    body.potential_energy = -k / sp.sqrt(x**2 + y**2)
    return Lagrangian(N, body), [x, y]


def kepler_polar():
    body = particle(at(N, x * sp.cos(theta), x * sp.sin(theta)), m)
    body.potential_energy = -k / x
    return Lagrangian(N, body), [x, theta]


def bead_on_hoop():
    place = R * (sp.sin(theta) * sp.cos(w * t) * N.x + sp.sin(theta) * sp.sin(w * t) * N.z - sp.cos(theta) * N.y)
    return Lagrangian(N, particle(place, m)), [theta]


def bead_on_wire():
    return Lagrangian(N, particle(at(N, x, a * x**2), m)), [x]


def atwood():
    return Lagrangian(N, particle(-x * N.y, m1), particle((x - l) * N.y, m2)), [x]


def kapitza():
    return Lagrangian(N, particle(at(N, l * sp.sin(theta), -l * sp.cos(theta) + a * sp.cos(w * t)), m)), [theta]


def cone():
    place = x * (sp.cos(theta) * N.x + sp.sin(theta) * N.z + a * N.y)
    return Lagrangian(N, particle(place, m)), [x, theta]


def rotating_frame():
    turning = N.orientnew("A", "Axis", [w * t, N.z])
    body = particle(x * turning.x + y * turning.y, m, height=0)
    return Lagrangian(N, body), [x, y]


def rolling_disc():
    disc = N.orientnew("D", "Axis", [x / r, N.z])
    centre = O.locatenew("C", x * N.x)
    centre.set_vel(N, x.diff() * N.x)
    body = RigidBody("disc", centre, disc, m, (inertia(disc, 0, 0, I3), centre))
    body.potential_energy = -m * g * x * sp.sin(a)
    return Lagrangian(N, body), [x]


def physical_pendulum():
    frame = N.orientnew("B", "Axis", [theta, N.z])
    centre = O.locatenew("C", -l * frame.y)
    centre.v2pt_theory(O, N, frame)
    body = RigidBody("body", centre, frame, m, (inertia(frame, 0, 0, I3), centre))
    body.potential_energy = -m * g * l * sp.cos(theta)
    return Lagrangian(N, body), [theta]


def symmetric_top():
    frame = N.orientnew("B", "Body", [phi, theta, psi], "zxz")
    centre = O.locatenew("C", l * frame.z)
    centre.v2pt_theory(O, N, frame)
    body = RigidBody("top", centre, frame, m, Inertia.from_inertia_scalars(centre, frame, I1, I1, I3))
    body.potential_energy = m * g * l * sp.cos(theta)
    return Lagrangian(N, body), [phi, theta, psi]


def three_springs():
    bodies = [particle(q * N.x, m) for q in (q1, q2, q3)]
    bodies[0].potential_energy = k * q1**2 / 2
    bodies[1].potential_energy = k * (q2 - q1) ** 2 / 2 + c * (q2 - q1) ** 4
    bodies[2].potential_energy = k * (q3 - q2) ** 2 / 2
    return Lagrangian(N, *bodies), [q1, q2, q3]


def charge_in_a_field():
    body = particle(x * N.x + y * N.y + z * N.z, m, height=0)
    return Lagrangian(N, body) + b * (x * y.diff() - y * x.diff()) / 2 - k * z**2 / 2, [x, y, z]


def swinging_atwood():
    body = particle(at(N, x * sp.sin(theta), -x * sp.cos(theta)), m)
    return Lagrangian(N, body, particle(x * N.y, M)), [x, theta]


SYSTEMS = [
    pendulum, spring, two_springs, double_pendulum, spring_pendulum, cart_pole, spherical_pendulum, kepler, kepler_polar,
    bead_on_hoop, bead_on_wire, atwood, kapitza, cone, rotating_frame, rolling_disc, physical_pendulum, symmetric_top,
    three_springs, charge_in_a_field, swinging_atwood,
]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.__name__)
def test_equations_are_those_of_sympy(system):
    lagrangian, coordinates = system()
    parameters = sorted((sp.sympify(lagrangian).free_symbols - {t}), key=str)
    model = ex.Model(
        system.__name__,
        parameters={parameter: 1.0 + 0.1 * at for at, parameter in enumerate(parameters)},
        coordinates={coordinate: 0.7 + 0.1 * at for at, coordinate in enumerate(coordinates)},
        lagrangian=lagrangian,
    )
    ours = model.equations.lagrange.sympy()["Equations of motion"]
    theirs = LagrangesMethod(lagrangian, coordinates).form_lagranges_equations()
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs):
        assert sp.simplify(sp.expand(mine.lhs - mine.rhs - other)) == 0


def test_a_model_of_sympy_runs_as_one_of_text():
    lagrangian, _ = pendulum()
    by_sympy = ex.Model(parameters={m: 1, l: 2, g: 9.81}, coordinates={theta: 0.5}, lagrangian=lagrangian)
    by_text = ex.Model(parameters={"m": 1, "l": 2, "g": 9.81}, coordinates={"theta": 0.5}, lagrangian="m*l^2*theta'^2/2 + m*g*l*cos(theta)")
    assert abs(by_sympy.run(step=0.01, until=1).end["theta"] - by_text.run(step=0.01, until=1).end["theta"]) < 1e-14


def test_forces_and_functions_take_sympy():
    model = ex.Model(parameters={c: 0.1}, coordinates={x: 1.0}, lagrangian=x.diff() ** 2 / 2 - x**2 / 2, forces={x: -c * x.diff()})
    acceleration, power = model.function(x.diff(t, 2), -c * x.diff() ** 2)(0.0, 2.0, 3.0)
    assert (acceleration, power) == pytest.approx((-2.3, -0.9), rel=1e-15)


@pytest.mark.parametrize("name", ["kepler", "double-pendulum", "harmonic-oscillator", "elastic-pendulum"])
def test_conserved_quantities_are_conserved_by_sympy(name):
    model = ex.gallery(name)
    solved = model.equations.solved.sympy()["Solved equations"]
    rates = {equation.lhs: equation.rhs for equation in solved}
    for quantity in model.analyze().conserved:
        if name == "double-pendulum" and quantity.name != "energy":
            continue
        assert sp.simplify(quantity.sympy().diff(t).subs(rates)) == 0


def test_lagrangians_of_the_gallery_go_there_and_back():
    gone = 0
    for name in ex.gallery_names():
        model = ex.gallery(name)
        lagrangian = model.tables.get("dynamics", {}).get("lagrangian")
        # Families and vectors are written out by the program, which is asked for its equations then; a table has no formula.
        if lagrangian is None or "tables" in model.tables or any(word in lagrangian for word in ("[", "sum(", "dot(")):
            continue
        reader = Reader(model)
        expression = reader.expression(lagrangian)
        assert reader.expression(text(expression)).equals(expression), name
        gone += 1
    assert gone > 30


def test_what_a_model_has_no_words_for_is_named():
    for unknown in (sp.besselj(0, x), sp.Function("f")(x), sp.Integral(x, t), sp.Symbol("not a name")):
        with pytest.raises(Unreadable):
            text(unknown)
    with pytest.raises(Unreadable):
        text(sp.Matrix([x, y]))
    assert text(sp.Matrix([x.diff() ** 2])) == "x'^2"
    assert text(sp.Piecewise((x, x > 0), (0, True))) == "if(x > 0, x, 0)"
    assert text(sp.sec(x) + sp.Rational(1, 3)) == "(1/cos(x)) + 1/3"
    assert text(sp.Derivative(x**2, t)) == "2*x*x'"
