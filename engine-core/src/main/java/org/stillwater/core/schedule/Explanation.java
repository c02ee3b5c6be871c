package org.stillwater.core.schedule;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;

/**
 * The reasons of a VM's placement, or of its failure. Immutable; its size does not grow with the
 * number of hosts.
 *
 * @param vm name of the VM
 * @param host name of the chosen host, null for none
 * @param hosts number of examined hosts, fitting and rejected ones
 * @param fitting number of fitting hosts
 * @param weights reasons for the chosen host, weightiest first; empty if there is none
 * @param rejections reasons against the other hosts, in the order of the rules. If a host was
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
     * A reason for the chosen host.
     *
     * @param name the property, for example {@code memory}
     * @param score score of the host, 0–100
     * @param factor weight of the score
     * @param reason the finding, one clause for users
     */
    public record Weight(String name, double score, double factor, String reason) {}

    /**
     * Hosts that one rule rejects.
     *
     * @param rule the rule
     * @param hosts their number
     * @param named some of them, those that lack least first
     */
    public record Rejection(PlacementRule rule, int hosts, List<RejectedHost> named) {

        public Rejection {
            named = List.copyOf(named);
        }
    }

    /**
     * A rejected host.
     *
     * @param id the host
     * @param name display name
     * @param reason the lacking property, one clause for users
     */
    public record RejectedHost(HostId id, String name, String reason) {}

    /** All of it in a sentence or two for people. */
    public String text() {
        StringBuilder text = new StringBuilder(200);
        if (hosts == 0) {
            text.append("there is no host for ").append(vm);
        } else if (host == null) {
            text.append(vm).append(" does not fit on any of ").append(counted(hosts));
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
