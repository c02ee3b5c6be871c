package org.stillwater.server.cycles.pair.one;

import org.stillwater.server.cycles.pair.two.Second;

/** A sample for {@code PackageCyclesTest}. */
public record First(Second next) {}
