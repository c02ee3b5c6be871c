package org.stillwater.monitoring.host;

import java.time.Duration;

/**
 * A host's watching that stood still, or its present work.
 *
 * @param task its task
 * @param time for how long
 * @param stack where its thread was, one frame a line; empty when it had none
 */
public record Stall(String task, Duration time, String stack) {}
