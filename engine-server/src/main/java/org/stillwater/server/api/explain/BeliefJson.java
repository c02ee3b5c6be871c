package org.stillwater.server.api.explain;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.value.Coded;
import org.stillwater.core.vm.Belief;
import org.stillwater.core.vm.DecisionKind;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.belief.BeliefLog;
import org.stillwater.server.api.web.Json;

/** Transitions as records that Jackson writes. */
final class BeliefJson {

    private BeliefJson() {}

    /** Transitions of a VM. */
    record VmBeliefs(
            String vmId,
            String vmName,
            @Nullable String at,
            @Nullable String missing,
            String text,
            List<BeliefItem> items) {}

    /** Transitions of a host. */
    record HostBeliefs(
            String hostId,
            String hostName,
            @Nullable String at,
            @Nullable String missing,
            String text,
            List<BeliefItem> items) {}

    /** One transition. */
    record BeliefItem(
            String at,
            String receivedAt,
            String cause,
            @Nullable String reporterId,
            @Nullable String reporterName,
            @Nullable Long hostStampMillis,
            String rule,
            @Nullable String scenario,
            String because,
            String before,
            String status,
            @Nullable String hostId,
            @Nullable String hostName,
            @Nullable String migratingToHostId,
            @Nullable String migratingToHostName,
            List<String> decided) {}

    /**
     * The transitions.
     *
     * @param ofVm whether statuses are those of a VM
     * @param names names of hosts, null for one that was removed
     */
    static List<BeliefItem> items(
            BeliefLog.Past past, boolean ofVm, Function<@Nullable HostId, @Nullable String> names) {
        return past.items().stream()
                .map(belief ->
                        new BeliefItem(
                                belief.at().toString(),
                                belief.receivedAt().toString(),
                                Json.word(belief.cause()),
                                ExplainJson.text(belief.reporter()),
                                names.apply(belief.reporter()),
                                belief.hostStampMillis(),
                                belief.rule().label(),
                                scenario(belief),
                                belief.rule().clause(),
                                status(belief.before(), ofVm),
                                status(belief.status(), ofVm),
                                ExplainJson.text(belief.host()),
                                names.apply(belief.host()),
                                ExplainJson.text(belief.target()),
                                names.apply(belief.target()),
                                DecisionKind.of(belief.decided()).stream()
                                        .map(Json::word)
                                        .toList()))
                .toList();
    }

    private static @Nullable String scenario(Belief belief) {
        int scenario = belief.rule().scenario();
        return scenario == 0 ? null : "S" + scenario;
    }

    /** A code of a newer version has no name here. */
    private static String status(int code, boolean ofVm) {
        return ofVm ? name(VmStatus.values(), code) : name(HostStatus.values(), code);
    }

    private static <E extends Enum<E> & Coded> String name(E[] all, int code) {
        return Arrays.stream(all)
                .filter(each -> each.code() == code)
                .map(Json::word)
                .findFirst()
                .orElse("code " + code);
    }

    /** Transitions of the engine's state, in sentences. */
    static String text(
            BeliefLog.Past past,
            @Nullable Instant at,
            boolean ofVm,
            Function<HostId, String> names) {
        if (past.items().isEmpty()) {
            String unknown =
                    at == null
                            ? "The engine has no transition."
                            : "The engine has no transition until " + at + ".";
            return past.missing() == null ? unknown : unknown + " " + past.missing();
        }
        Belief newest = past.items().getFirst();
        HostId host = newest.host();
        HostId target = newest.target();
        return "%s the engine assumed: %s%s%s, since %s, because %s%s."
                .formatted(
                        at == null ? "After the newest transition" : "At " + at,
                        status(newest.status(), ofVm),
                        host == null ? "" : " on host " + names.apply(host),
                        target == null ? "" : ", on its way to host " + names.apply(target),
                        newest.at(),
                        newest.rule().clause(),
                        newest.rule().scenario() == 0
                                ? ""
                                : " (S" + newest.rule().scenario() + ")");
    }
}
