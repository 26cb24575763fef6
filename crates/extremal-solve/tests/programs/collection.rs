//! Problems of W. Hock and K. Schittkowski, "Test examples for nonlinear programming codes" (1981), by their numbers there, with
//! the minima printed there.

use extremal_solve::nlp::NlpStatus;

use crate::text::{FREE, Text};

const ROSENBROCK: &str = "100*(x[2] - x[1]^2)^2 + (1 - x[1])^2";

#[test]
fn minima_of_hock_and_schittkowski() {
    let at_least = |text: &'static str| (text, 0.0, FREE);
    let zero = |text: &'static str| (text, 0.0, 0.0);
    let problems: Vec<(u32, f64, Text<'_>)> = vec![
        (
            1,
            0.0,
            Text {
                objective: ROSENBROCK,
                constraints: vec![],
                bounds: &[(-FREE, FREE), (-1.5, FREE)],
                start: &[-2.0, 1.0],
            },
        ),
        (
            3,
            0.0,
            Text {
                objective: "x[2] + (x[2] - x[1])^2/100000",
                constraints: vec![],
                bounds: &[(-FREE, FREE), (0.0, FREE)],
                start: &[10.0, 1.0],
            },
        ),
        (
            4,
            8.0 / 3.0,
            Text {
                objective: "(x[1] + 1)^3/3 + x[2]",
                constraints: vec![],
                bounds: &[(1.0, FREE), (0.0, FREE)],
                start: &[1.125, 0.125],
            },
        ),
        (
            5,
            -(3f64.sqrt()) / 2.0 - std::f64::consts::FRAC_PI_3,
            Text {
                objective: "sin(x[1] + x[2]) + (x[1] - x[2])^2 - 1.5*x[1] + 2.5*x[2] + 1",
                constraints: vec![],
                bounds: &[(-1.5, 4.0), (-3.0, 3.0)],
                start: &[0.0, 0.0],
            },
        ),
        (
            6,
            0.0,
            Text {
                objective: "(1 - x[1])^2",
                constraints: vec![zero("10*(x[2] - x[1]^2)")],
                bounds: &[],
                start: &[-1.2, 1.0],
            },
        ),
        (
            7,
            -(3f64.sqrt()),
            Text {
                objective: "log(1 + x[1]^2) - x[2]",
                constraints: vec![zero("(1 + x[1]^2)^2 + x[2]^2 - 4")],
                bounds: &[],
                start: &[2.0, 2.0],
            },
        ),
        (
            8,
            -1.0,
            Text {
                objective: "-1",
                constraints: vec![zero("x[1]^2 + x[2]^2 - 25"), zero("x[1]*x[2] - 9")],
                bounds: &[],
                start: &[2.0, 1.0],
            },
        ),
        (
            9,
            -0.5,
            Text {
                objective: "sin(pi*x[1]/12)*cos(pi*x[2]/16)",
                constraints: vec![zero("4*x[1] - 3*x[2]")],
                bounds: &[],
                start: &[0.0, 0.0],
            },
        ),
        (
            10,
            -1.0,
            Text {
                objective: "x[1] - x[2]",
                constraints: vec![at_least("-3*x[1]^2 + 2*x[1]*x[2] - x[2]^2 + 1")],
                bounds: &[],
                start: &[-10.0, 10.0],
            },
        ),
        (
            11,
            -8.498464223,
            Text {
                objective: "(x[1] - 5)^2 + x[2]^2 - 25",
                constraints: vec![at_least("x[2] - x[1]^2")],
                bounds: &[],
                start: &[4.9, 0.1],
            },
        ),
        (
            12,
            -30.0,
            Text {
                objective: "x[1]^2/2 + x[2]^2 - x[1]*x[2] - 7*x[1] - 7*x[2]",
                constraints: vec![at_least("25 - 4*x[1]^2 - x[2]^2")],
                bounds: &[],
                start: &[0.0, 0.0],
            },
        ),
        (
            14,
            9.0 - 2.875 * 7f64.sqrt(),
            Text {
                objective: "(x[1] - 2)^2 + (x[2] - 1)^2",
                constraints: vec![at_least("1 - x[1]^2/4 - x[2]^2"), zero("x[1] - 2*x[2] + 1")],
                bounds: &[],
                start: &[2.0, 2.0],
            },
        ),
        (
            26,
            0.0,
            Text {
                objective: "(x[1] - x[2])^2 + (x[2] - x[3])^4",
                constraints: vec![zero("(1 + x[2]^2)*x[1] + x[3]^4 - 3")],
                bounds: &[],
                start: &[-2.6, 2.0, 2.0],
            },
        ),
        (
            35,
            1.0 / 9.0,
            Text {
                objective: "9 - 8*x[1] - 6*x[2] - 4*x[3] + 2*x[1]^2 + 2*x[2]^2 + x[3]^2 + 2*x[1]*x[2] + 2*x[1]*x[3]",
                constraints: vec![at_least("3 - x[1] - x[2] - 2*x[3]")],
                bounds: &[(0.0, FREE); 3],
                start: &[0.5; 3],
            },
        ),
        (
            39,
            -1.0,
            Text {
                objective: "-x[1]",
                constraints: vec![zero("x[2] - x[1]^3 - x[3]^2"), zero("x[1]^2 - x[2] - x[4]^2")],
                bounds: &[],
                start: &[2.0; 4],
            },
        ),
        (
            40,
            -0.25,
            Text {
                objective: "-x[1]*x[2]*x[3]*x[4]",
                constraints: vec![zero("x[1]^3 + x[2]^2 - 1"), zero("x[1]^2*x[4] - x[3]"), zero("x[4]^2 - x[2]")],
                bounds: &[],
                start: &[0.8; 4],
            },
        ),
        (
            43,
            -44.0,
            Text {
                objective: "x[1]^2 + x[2]^2 + 2*x[3]^2 + x[4]^2 - 5*x[1] - 5*x[2] - 21*x[3] + 7*x[4]",
                constraints: vec![
                    at_least("8 - x[1]^2 - x[2]^2 - x[3]^2 - x[4]^2 - x[1] + x[2] - x[3] + x[4]"),
                    at_least("10 - x[1]^2 - 2*x[2]^2 - x[3]^2 - 2*x[4]^2 + x[1] + x[4]"),
                    at_least("5 - 2*x[1]^2 - x[2]^2 - x[3]^2 - 2*x[1] + x[2] + x[4]"),
                ],
                bounds: &[],
                start: &[0.0; 4],
            },
        ),
        (
            71,
            17.0140173,
            Text {
                objective: "x[1]*x[4]*(x[1] + x[2] + x[3]) + x[3]",
                constraints: vec![
                    ("x[1]*x[2]*x[3]*x[4]", 25.0, FREE),
                    ("x[1]^2 + x[2]^2 + x[3]^2 + x[4]^2", 40.0, 40.0),
                ],
                bounds: &[(1.0, 5.0); 4],
                start: &[1.0, 5.0, 5.0, 1.0],
            },
        ),
        (
            77,
            0.24150513,
            Text {
                objective: "(x[1] - 1)^2 + (x[1] - x[2])^2 + (x[3] - 1)^2 + (x[4] - 1)^4 + (x[5] - 1)^6",
                constraints: vec![
                    zero("x[1]^2*x[4] + sin(x[4] - x[5]) - 2*sqrt(2)"),
                    zero("x[2] + x[3]^4*x[4]^2 - 8 - sqrt(2)"),
                ],
                bounds: &[],
                start: &[2.0; 5],
            },
        ),
        (
            78,
            -2.91970041,
            Text {
                objective: "x[1]*x[2]*x[3]*x[4]*x[5]",
                constraints: vec![
                    zero("x[1]^2 + x[2]^2 + x[3]^2 + x[4]^2 + x[5]^2 - 10"),
                    zero("x[2]*x[3] - 5*x[4]*x[5]"),
                    zero("x[1]^3 + x[2]^3 + 1"),
                ],
                bounds: &[],
                start: &[-2.0, 1.5, 2.0, -1.0, -1.0],
            },
        ),
        (
            100,
            680.6300573,
            Text {
                objective: "(x[1] - 10)^2 + 5*(x[2] - 12)^2 + x[3]^4 + 3*(x[4] - 11)^2 + 10*x[5]^6 + 7*x[6]^2 + x[7]^4 - 4*x[6]*x[7] - 10*x[6] - 8*x[7]",
                constraints: vec![
                    at_least("127 - 2*x[1]^2 - 3*x[2]^4 - x[3] - 4*x[4]^2 - 5*x[5]"),
                    at_least("282 - 7*x[1] - 3*x[2] - 10*x[3]^2 - x[4] + x[5]"),
                    at_least("196 - 23*x[1] - x[2]^2 - 6*x[6]^2 + 8*x[7]"),
                    at_least("-4*x[1]^2 - x[2]^2 + 3*x[1]*x[2] - 2*x[3]^2 - 5*x[6] + 11*x[7]"),
                ],
                bounds: &[],
                start: &[1.0, 2.0, 0.0, 4.0, 0.0, 1.0, 1.0],
            },
        ),
    ];
    for (number, minimum, problem) in problems {
        let solution = problem.minimise();
        assert_eq!(solution.status, NlpStatus::Solved, "HS{number}: {:?}", solution.last);
        // Printed with nine digits or fewer; the flat ones (26) end where their slope is below the tolerance.
        let error = (solution.objective - minimum).abs() / minimum.abs().max(1.0);
        assert!(error < 2e-8, "HS{number}: {} instead of {minimum}, {:?}", solution.objective, solution.last);
        assert!(solution.iterations < 100, "HS{number}: {} iterations", solution.iterations);
    }
}
