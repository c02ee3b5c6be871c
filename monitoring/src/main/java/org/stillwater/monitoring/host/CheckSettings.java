package org.stillwater.monitoring.host;

/**
 * Checks of the statistics of VMs.
 *
 * @param ballooning whether clusters give memory of VMs back by ballooning; without it balloons are
 *     not checked
 * @param balloonIterations polls that may show a problem of a balloon before the next one reports
 *     it ({@code IterationsWithBalloonProblem}), 0–127
 */
public record CheckSettings(boolean ballooning, int balloonIterations) {

    /** Balloons are checked, and forgiven three times. */
    public static final CheckSettings DEFAULT = new CheckSettings(true, 3);

    public CheckSettings {
        if (balloonIterations < 0 || balloonIterations > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("0 to 127 polls may show a problem of a balloon");
        }
    }
}
