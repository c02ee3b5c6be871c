package org.stillwater.server.metrics;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/**
 * Declares families with a common prefix of names and common first labels. A value is a primitive;
 * a NaN or infinite value gives no sample.
 */
class FamilyGroup<S> {

    static final double PERCENT = 100;
    static final double KIBIBYTE = 1_024;
    static final double MEBIBYTE = 1_024 * 1_024;
    static final double MEGA = 1e6;

    /** Writes the labels that all samples of a subject have. */
    interface Labels<S> {
        Exposition write(Exposition sample, S subject) throws IOException;
    }

    /** Writes the labels of one part of a subject, such as an interface. */
    interface PartLabels<S> {
        Exposition write(Exposition sample, S subject, int part) throws IOException;
    }

    /** A number of one part of a subject, NaN if it is not known. */
    interface PartNumber<S> {
        double of(S subject, int part);
    }

    private final List<Family<S>> all = new ArrayList<>();
    private final String prefix;
    private final Labels<S> labels;
    private final Predicate<S> current;

    /**
     * @param prefix of all names, without the underscore that follows it
     * @param labels that all samples begin with
     * @param current whether the statistics of a subject are known and not stale
     */
    FamilyGroup(String prefix, Labels<S> labels, Predicate<S> current) {
        this.prefix = prefix;
        this.labels = labels;
        this.current = current;
    }

    /** The families in the order of their declaration. */
    final List<Family<S>> all() {
        return List.copyOf(all);
    }

    /** A family that writes its samples itself, each begun by {@link #sample}. */
    final void family(String name, Exposition.Kind kind, String help, Family.Samples<S> samples) {
        all.add(new Family<>(name.isEmpty() ? prefix : prefix + "_" + name, kind, help, samples));
    }

    final Exposition sample(Exposition out, S subject) throws IOException {
        return labels.write(out.sample(), subject);
    }

    /** A gauge of every subject. */
    final void gauge(String name, String help, ToDoubleFunction<S> value) {
        family(
                name,
                Exposition.Kind.GAUGE,
                help,
                (out, subject) -> write(out, subject, value.applyAsDouble(subject)));
    }

    /** A gauge of subjects with current statistics. */
    final void current(String name, String help, ToDoubleFunction<S> value) {
        current(name, Exposition.Kind.GAUGE, help, value);
    }

    final void current(String name, Exposition.Kind kind, String help, ToDoubleFunction<S> value) {
        family(
                name,
                kind,
                help,
                (out, subject) -> {
                    if (current.test(subject)) {
                        write(out, subject, value.applyAsDouble(subject));
                    }
                });
    }

    private void write(Exposition out, S subject, double value) throws IOException {
        if (Double.isFinite(value)) {
            sample(out, subject).value(value);
        }
    }

    /** A number of each part of the subjects with current statistics. */
    final void parts(
            String name,
            Exposition.Kind kind,
            String help,
            ToIntFunction<S> count,
            PartLabels<S> partLabels,
            PartNumber<S> number) {
        family(
                name,
                kind,
                help,
                (out, subject) -> {
                    int parts = current.test(subject) ? count.applyAsInt(subject) : 0;
                    for (int part = 0; part < parts; part++) {
                        double value = number.of(subject, part);
                        if (Double.isFinite(value)) {
                            partLabels.write(sample(out, subject), subject, part).value(value);
                        }
                    }
                });
    }
}
