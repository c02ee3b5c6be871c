/**
 * Numbers of VMs and hosts for Prometheus. Meters of the engine itself live in {@code meter}, and
 * nothing here keeps anything between two scrapes.
 */
@NullMarked
package org.stillwater.server.metrics;

import org.jspecify.annotations.NullMarked;
