package org.stillwater.server.metrics;

import java.io.IOException;
import java.util.List;

/**
 * One family of series: its name, its description, and how the samples of a subject are written.
 *
 * @param <S> the subject: a VM, a host or a storage domain
 * @param name full name without the suffix of its kind
 * @param help one sentence
 * @param samples writes the samples of one subject
 */
record Family<S>(String name, Exposition.Kind kind, String help, Samples<S> samples) {

    /** Writes the samples of a family that one subject has; none where it has none. */
    interface Samples<S> {
        void write(Exposition out, S subject) throws IOException;
    }

    /**
     * Writes families one after the other: the samples of a family follow each other, so that each
     * family is a pass over the subjects.
     */
    static <S> void write(Exposition out, List<Family<S>> families, Iterable<S> subjects)
            throws IOException {
        for (Family<S> family : families) {
            out.family(family.name, family.kind, family.help);
            for (S subject : subjects) {
                family.samples.write(out, subject);
            }
        }
    }
}
