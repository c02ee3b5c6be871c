package org.stillwater.server.cycles.pair.two;

import org.stillwater.server.cycles.pair.one.First;

/** A sample for {@code PackageCyclesTest}. */
public record Second(First next) {}
