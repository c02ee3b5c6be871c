package org.stillwater.guest;

import java.time.Duration;

/**
 * The engine's answer to a question for a run.
 *
 * @param granted whether the run may begin
 * @param text the reason, for people
 * @param retryAfter when to ask again; zero if it may begin
 */
record Permit(boolean granted, String text, Duration retryAfter) {}
