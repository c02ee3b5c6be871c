package org.stillwater.server.cycles.rooted.part;

import org.stillwater.server.cycles.rooted.Root;

/** A sample for {@code PackageCyclesTest}. */
public record Part(Root next) {}
