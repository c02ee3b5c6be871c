package org.stillwater.core.definition;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The processor that a guest sees. */
public sealed interface VmCpu {

    /** The CPU type of the VM's cluster, so that it can run on all its hosts. */
    VmCpu OF_CLUSTER = new OfCluster();

    /** The host's own, so that it can only move to a host with the same. */
    VmCpu OF_HOST = new OfHost();

    /** See {@link #OF_CLUSTER}. */
    record OfCluster() implements VmCpu {}

    /** See {@link #OF_HOST}. */
    record OfHost() implements VmCpu {}

    /**
     * A certain one.
     *
     * @param model as libvirt names it, for example {@code Haswell-noTSX}
     * @param features further required features, in libvirt's names; at most 100, sorted
     */
    record Named(String model, Set<String> features) implements VmCpu {

        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.+-]{0,62}");
        private static final int MOST = 100;

        public Named {
            if (features.size() > MOST) {
                throw new IllegalArgumentException("a CPU has at most " + MOST + " features");
            }
            check("CPU model", model);
            features.forEach(feature -> check("CPU feature", feature));
            features = Collections.unmodifiableSortedSet(new TreeSet<>(features));
        }

        private static void check(String what, String name) {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "the name of a "
                                + what
                                + " has 1 to 63 letters, digits, hyphens, dots, plus signs and"
                                + " underscores");
            }
        }
    }
}
