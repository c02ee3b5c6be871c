package org.stillwater.server.cycles.straight.two;

import org.stillwater.server.cycles.straight.one.Lower;

/** A sample for {@code PackageCyclesTest}. */
public record Upper(Lower next) {}
