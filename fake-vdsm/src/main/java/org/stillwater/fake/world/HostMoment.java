package org.stillwater.fake.world;

/**
 * One moment on one host: its clocks and its newest sample.
 *
 * @param now virtual milliseconds
 * @param monotonicMillis since the host booted
 * @param stamp the clock of {@code statusTime} and {@code notify_time} (§4.3)
 * @param wallMillis the host's wall clock, in epoch milliseconds
 * @param lastSample when the newest sample was taken, in virtual milliseconds
 */
record HostMoment(long now, long monotonicMillis, long stamp, long wallMillis, long lastSample) {}
