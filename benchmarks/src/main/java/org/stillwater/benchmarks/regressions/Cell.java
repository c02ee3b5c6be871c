package org.stillwater.benchmarks.regressions;

import java.util.Locale;

/**
 * Conditions that a group of series shares.
 *
 * @param generator which program made the series
 * @param stepPercent size of the change, up or down
 * @param noisePercent coefficient of variation of the noise
 * @param correlation of neighbouring points of the noise
 */
record Cell(Generator generator, int stepPercent, int noisePercent, double correlation) {

    /** Where series come from. */
    enum Generator {
        STILLWATER,
        OTAVA_TEST_DATA;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
