package org.stillwater.server.cycles.straight.one;

/** A sample for {@code PackageCyclesTest}. */
public final class Lower {}
