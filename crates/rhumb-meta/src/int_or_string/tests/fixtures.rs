//! What Kubernetes 1.36 computes for the inputs of the number-or-text tests.

/// Text, total, and the share rounded up and down, or the error.
pub(super) type Scaled = (&'static str, i64, Result<(i64, i64), &'static str>);

/// Shares of a total.
pub(super) const SCALED: &[Scaled] = &[
    ("0%", 10, Ok((0, 0))),
    ("0%", 7, Ok((0, 0))),
    ("1%", 10, Ok((1, 0))),
    ("1%", 7, Ok((1, 0))),
    ("25%", 10, Ok((3, 2))),
    ("25%", 7, Ok((2, 1))),
    ("33%", 10, Ok((4, 3))),
    ("33%", 7, Ok((3, 2))),
    ("50%", 10, Ok((5, 5))),
    ("50%", 7, Ok((4, 3))),
    ("99%", 10, Ok((10, 9))),
    ("99%", 7, Ok((7, 6))),
    ("100%", 10, Ok((10, 10))),
    ("100%", 7, Ok((7, 7))),
    ("101%", 10, Ok((11, 10))),
    ("101%", 7, Ok((8, 7))),
    ("150%", 10, Ok((15, 15))),
    ("150%", 7, Ok((11, 10))),
    ("-10%", 10, Ok((-1, -1))),
    ("-10%", 7, Ok((0, -1))),
    ("+25%", 10, Ok((3, 2))),
    ("+25%", 7, Ok((2, 1))),
    ("007%", 10, Ok((1, 0))),
    ("007%", 7, Ok((1, 0))),
    ("-0%", 10, Ok((0, 0))),
    ("-0%", 7, Ok((0, 0))),
    ("123456789%", 10, Ok((12345679, 12345678))),
    ("", 10, Err("invalid value for IntOrString: invalid type: string is not a percentage")),
    (
        "%",
        10,
        Err("invalid value for IntOrString: invalid value \"%\": strconv.Atoi: parsing \"\": invalid syntax"),
    ),
    ("5", 10, Err("invalid value for IntOrString: invalid type: string is not a percentage")),
    ("25", 10, Err("invalid value for IntOrString: invalid type: string is not a percentage")),
    ("%25", 10, Err("invalid value for IntOrString: invalid type: string is not a percentage")),
    (
        "25%%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"25%%\": strconv.Atoi: parsing \"25%\": invalid syntax",
        ),
    ),
    (
        "2 5%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"2 5%\": strconv.Atoi: parsing \"2 5\": invalid syntax",
        ),
    ),
    (
        " 25%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \" 25%\": strconv.Atoi: parsing \" 25\": invalid syntax",
        ),
    ),
    ("25% ", 10, Err("invalid value for IntOrString: invalid type: string is not a percentage")),
    (
        "a%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"a%\": strconv.Atoi: parsing \"a\": invalid syntax",
        ),
    ),
    ("abc", 10, Err("invalid value for IntOrString: invalid type: string is not a percentage")),
    (
        "1.5%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"1.5%\": strconv.Atoi: parsing \"1.5\": invalid syntax",
        ),
    ),
    (
        "1e2%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"1e2%\": strconv.Atoi: parsing \"1e2\": invalid syntax",
        ),
    ),
    (
        "0x10%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"0x10%\": strconv.Atoi: parsing \"0x10\": invalid syntax",
        ),
    ),
    (
        "1_0%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"1_0%\": strconv.Atoi: parsing \"1_0\": invalid syntax",
        ),
    ),
    (
        "--1%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"--1%\": strconv.Atoi: parsing \"--1\": invalid syntax",
        ),
    ),
    (
        "+%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"+%\": strconv.Atoi: parsing \"+\": invalid syntax",
        ),
    ),
    (
        "\u{e9}%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\u{e9}%\": strconv.Atoi: parsing \"\u{e9}\": invalid syntax",
        ),
    ),
    (
        "\u{301}%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\u{301}%\": strconv.Atoi: parsing \"\u{301}\": invalid syntax",
        ),
    ),
    (
        "\u{a0}%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\\u00a0%\": strconv.Atoi: parsing \"\\u00a0\": invalid syntax",
        ),
    ),
    (
        "\u{200b}%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\\u200b%\": strconv.Atoi: parsing \"\\u200b\": invalid syntax",
        ),
    ),
    (
        "\u{ad}%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\\u00ad%\": strconv.Atoi: parsing \"\\u00ad\": invalid syntax",
        ),
    ),
    (
        "\u{e000}%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\\ue000%\": strconv.Atoi: parsing \"\\ue000\": invalid syntax",
        ),
    ),
    (
        "\u{1f600}%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\u{1f600}%\": strconv.Atoi: parsing \"\u{1f600}\": invalid syntax",
        ),
    ),
    (
        "\u{e0001}%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\\U000e0001%\": strconv.Atoi: parsing \"\\U000e0001\": invalid syntax",
        ),
    ),
    (
        "a\tb%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"a\\tb%\": strconv.Atoi: parsing \"a\\tb\": invalid syntax",
        ),
    ),
    (
        "a\nb%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"a\\nb%\": strconv.Atoi: parsing \"a\\nb\": invalid syntax",
        ),
    ),
    (
        "\u{7}\u{8}\u{c}\u{d}\u{b}%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\\a\\b\\f\\r\\v%\": strconv.Atoi: parsing \"\\a\\b\\f\\r\\v\": invalid syntax",
        ),
    ),
    (
        "\u{7f}%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\\x7f%\": strconv.Atoi: parsing \"\\x7f\": invalid syntax",
        ),
    ),
    (
        "\u{0}%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\\x00%\": strconv.Atoi: parsing \"\\x00\": invalid syntax",
        ),
    ),
    (
        "\"%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\\\"%\": strconv.Atoi: parsing \"\\\"\": invalid syntax",
        ),
    ),
    (
        "\\%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"\\\\%\": strconv.Atoi: parsing \"\\\\\": invalid syntax",
        ),
    ),
    (
        "'%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"'%\": strconv.Atoi: parsing \"'\": invalid syntax",
        ),
    ),
    (
        "9223372036854775808%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"9223372036854775808%\": strconv.Atoi: parsing \"9223372036854775808\": value out of range",
        ),
    ),
    (
        "-9223372036854775809%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"-9223372036854775809%\": strconv.Atoi: parsing \"-9223372036854775809\": value out of range",
        ),
    ),
    (
        "99999999999999999999%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"99999999999999999999%\": strconv.Atoi: parsing \"99999999999999999999\": value out of range",
        ),
    ),
    (
        "99999999999999999999x%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"99999999999999999999x%\": strconv.Atoi: parsing \"99999999999999999999x\": value out of range",
        ),
    ),
    (
        "9999999999999999999x%",
        10,
        Err(
            "invalid value for IntOrString: invalid value \"9999999999999999999x%\": strconv.Atoi: parsing \"9999999999999999999x\": invalid syntax",
        ),
    ),
];

/// Text, the number it parses to if it does, and the number it stands for as a string.
pub(super) const PARSED: &[(&str, Option<i32>, i64)] = &[
    ("0", Some(0), 0),
    ("80", Some(80), 80),
    ("+80", Some(80), 80),
    ("-80", Some(-80), -80),
    ("007", Some(7), 7),
    ("-0", Some(0), 0),
    ("http", None, 0),
    ("", None, 0),
    ("+", None, 0),
    ("-", None, 0),
    ("1.5", None, 0),
    ("25%", None, 0),
    (" 80", None, 0),
    ("80 ", None, 0),
    ("0x10", None, 0),
    ("1_000", None, 0),
    ("2147483647", Some(2147483647), 2147483647),
    ("2147483648", None, 2147483648),
    ("-2147483648", Some(-2147483648), -2147483648),
    ("-2147483649", None, -2147483649),
    ("9223372036854775807", None, 9223372036854775807),
    ("9223372036854775808", None, 9223372036854775807),
    ("-9223372036854775808", None, i64::MIN),
    ("-9223372036854775809", None, i64::MIN),
    ("18446744073709551615", None, 9223372036854775807),
    ("18446744073709551616", None, 9223372036854775807),
    ("18446744073709551616x", None, 9223372036854775807),
    ("18446744073709551615x", None, 0),
    ("\u{663}", None, 0),
    ("--1", None, 0),
];
