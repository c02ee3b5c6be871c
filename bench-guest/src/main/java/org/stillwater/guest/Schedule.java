package org.stillwater.guest;

import java.time.Duration;

/**
 * When runs begin.
 *
 * @param every least time between the begins of two runs
 * @param budget time that runs may take in 24 hours
 * @param runs number of runs after which the program ends, 0 for never
 */
record Schedule(Duration every, Duration budget, int runs) {}
