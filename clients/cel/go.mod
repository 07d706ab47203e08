module rhumb.invalid/clients/cel

go 1.26.0

// Its tests of the language are read from the module's directory; no package of it is built.
require cel.dev/expr v0.25.3
