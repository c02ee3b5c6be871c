package org.stillwater.server.cycles.rooted;

import org.stillwater.server.cycles.rooted.part.Part;

/** A sample for {@code PackageCyclesTest}. */
public record Root(Part next) {}
