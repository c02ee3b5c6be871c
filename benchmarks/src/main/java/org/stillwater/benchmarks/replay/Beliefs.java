package org.stillwater.benchmarks.replay;

import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.BeliefStore.Row;
import org.stillwater.core.store.BeliefStore.Subject;
import org.stillwater.core.vm.Belief;
import org.stillwater.core.vm.BeliefRule;
import org.stillwater.core.vm.DecisionKind;
import org.stillwater.core.vm.VmStatus;

/** Formats transitions independently of the build. */
final class Beliefs {

    private final Function<UUID, String> names;

    /**
     * @param names the names of hosts
     */
    Beliefs(Function<UUID, String> names) {
        this.names = names;
    }

    String sentence(Row row) {
        Belief belief = row.belief();
        StringBuilder text =
                new StringBuilder(status(row.subject(), belief.before()))
                        .append(" -> ")
                        .append(status(row.subject(), belief.status()));
        HostId host = belief.host();
        if (host != null) {
            text.append(" on ").append(names.apply(host.value()));
        }
        HostId target = belief.target();
        if (target != null) {
            text.append(", to ").append(names.apply(target.value()));
        }
        text.append("; by ").append(word(belief.cause()));
        HostId reporter = belief.reporter();
        if (reporter != null) {
            text.append(" of ").append(names.apply(reporter.value()));
        }
        BeliefRule rule = belief.rule();
        text.append("; rule ").append(rule.label());
        if (rule.scenario() > 0) {
            text.append(" (S").append(rule.scenario()).append(')');
        }
        List<DecisionKind> decided = DecisionKind.of(belief.decided());
        if (!decided.isEmpty()) {
            text.append("; then ")
                    .append(String.join(", ", decided.stream().map(Beliefs::word).toList()));
        }
        return text.toString();
    }

    private static String status(Subject subject, int code) {
        return switch (subject) {
            case VM -> VmStatus.ofCode(code).label();
            case HOST -> word(HostStatus.ofCode(code));
        };
    }

    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
