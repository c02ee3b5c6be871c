package org.stillwater.core.schedule;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;

/**
 * Why a VM was placed where it was, or nowhere. Immutable; its size does not grow with the number
 * of hosts.
 *
 * @param vm name of the VM
 * @param host name of the chosen host, null for none
 * @param hosts how many hosts were looked at: those that fit and those that were rejected
 * @param fitting how many of them could have been chosen
 * @param weights what spoke for the chosen host, weightiest first; empty if there is none
 * @param rejections why the others were not considered, in the order of the rules. If a host was
 *     chosen they are counted, but not named
 * @param longest most characters of {@link #text()}
 */
public record Explanation(
        String vm,
        @Nullable String host,
        int hosts,
        int fitting,
        List<Weight> weights,
        List<Rejection> rejections,
        int longest) {

    public Explanation {
        weights = List.copyOf(weights);
        rejections = List.copyOf(rejections);
    }

    /**
     * Something that spoke for the chosen host.
     *
     * @param name what was looked at, for example {@code memory}
     * @param score how good the host was, 0–100
     * @param factor how much that counts
     * @param reason what was found, one clause for people
     */
    public record Weight(String name, double score, double factor, String reason) {}

    /**
     * Hosts against which one rule spoke.
     *
     * @param rule the rule
     * @param hosts how many they are
     * @param named some of them, those nearest to what is needed first
     */
    public record Rejection(PlacementRule rule, int hosts, List<RejectedHost> named) {

        public Rejection {
            named = List.copyOf(named);
        }
    }

    /**
     * A host that was not considered.
     *
     * @param id the host
     * @param name what people call it
     * @param reason what it lacks, one clause for people
     */
    public record RejectedHost(HostId id, String name, String reason) {}

    /** All of it in a sentence or two for people. */
    public String text() {
        StringBuilder text = new StringBuilder(200);
        if (hosts == 0) {
            text.append("there is no host for ").append(vm);
        } else if (host == null) {
            text.append(vm).append(" fits on none of ").append(counted(hosts));
            appendRejections(text.append(": "));
        } else {
            text.append(vm).append(" is placed on ").append(host).append(", ");
            text.append(fitting == 1 ? "the only" : "the best of " + fitting);
            text.append(" that ").append(fitting == 1 ? "fits" : "fit");
            appendWeights(text);
            if (!rejections.isEmpty()) {
                appendRejections(text.append("; of ").append(counted(hosts)).append(", "));
            }
        }
        return text.length() <= longest ? text.toString() : text.substring(0, longest - 1) + "…";
    }

    private static String counted(int hosts) {
        return hosts == 1 ? "1 host" : hosts + " hosts";
    }

    private void appendWeights(StringBuilder text) {
        String before = " (";
        for (Weight weight : weights) {
            text.append(before).append(weight.reason());
            before = "; ";
        }
        text.append(weights.isEmpty() ? "" : ")");
    }

    private void appendRejections(StringBuilder text) {
        String before = "";
        for (Rejection rejection : rejections) {
            text.append(before).append(rejection.hosts()).append(' ');
            text.append(rejection.rule().clause());
            appendNamed(text, rejection);
            before = ", ";
        }
    }

    private static void appendNamed(StringBuilder text, Rejection rejection) {
        String before = " (";
        for (RejectedHost each : rejection.named()) {
            text.append(before).append(each.name()).append(": ").append(each.reason());
            before = "; ";
        }
        int more = rejection.hosts() - rejection.named().size();
        if (!rejection.named().isEmpty()) {
            text.append(more == 0 ? ")" : String.format(Locale.ROOT, "; and %d more)", more));
        }
    }
}
