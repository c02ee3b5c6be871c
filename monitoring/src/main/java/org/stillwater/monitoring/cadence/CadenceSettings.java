package org.stillwater.monitoring.cadence;

import java.time.Duration;
import org.stillwater.core.cadence.CadenceLimits;
import org.stillwater.core.cadence.CpuBudget;

/**
 * How the intervals of hosts adapt.
 *
 * @param limits between which intervals
 * @param budget processor time of the engine
 * @param viewTime how long a host counts as viewed after it was read
 * @param commandTime how long a host counts as commanded after it got a command
 */
public record CadenceSettings(
        CadenceLimits limits, CpuBudget budget, Duration viewTime, Duration commandTime) {

    public CadenceSettings {
        if (!viewTime.isPositive() || !commandTime.isPositive()) {
            throw new IllegalArgumentException("times of views and commands are positive");
        }
    }

    /** With a minute for a view and half a minute for a command. */
    public static CadenceSettings of(CadenceLimits limits, CpuBudget budget) {
        return new CadenceSettings(limits, budget, Duration.ofMinutes(1), Duration.ofSeconds(30));
    }
}
