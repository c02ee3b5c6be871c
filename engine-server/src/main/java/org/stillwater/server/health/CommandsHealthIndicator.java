package org.stillwater.server.health;

import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.operation.CommandState;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.server.settings.IfCommandsAreEnabled;
import org.stillwater.server.settings.ObservationSettings;

/**
 * Commands under way, which are shown and do not make the engine unready. DOWN while operations do
 * not become durable, for any reason, while the threads of commands do not work, and while so many
 * messages wait that requests are refused.
 */
@IfCommandsAreEnabled
@Component
class CommandsHealthIndicator implements HealthIndicator {

    private final CommandEngine commands;
    private final int names;

    CommandsHealthIndicator(CommandEngine commands, ObservationSettings settings) {
        this.names = settings.namesInHealth();
        this.commands = commands;
    }

    @Override
    public Health health() {
        CommandState state = commands.state();
        Health.Builder health = WorkersHealthIndicator.of(commands.workers(), Health.up());
        health.withDetail("waiting", state.waiting());
        health.withDetail("messages", state.messages());
        if (state.notDurableSince() != null) {
            health.down()
                    .withDetail("notDurableSince", state.notDurableSince().toString())
                    .withDetail("reason", String.valueOf(state.notDurableReason()));
        } else if (state.messages() >= commands.settings().mailbox()) {
            health.down().withDetail("reason", "too many messages wait to be decided about");
        }
        if (!state.notSaved().isEmpty()) {
            health.withDetail(
                    "notSaved",
                    state.notSaved().entrySet().stream()
                            .sorted(Map.Entry.comparingByKey())
                            .limit(names)
                            .map(each -> each.getKey() + ": " + each.getValue())
                            .toList());
            health.withDetail("notSavedCount", state.notSaved().size());
        }
        List<Operation> open = commands.operations(operation -> !operation.isEnded());
        health.withDetail("open", open.size());
        health.withDetail("most", commands.settings().mostOpen());
        if (!commands.unreadable().isEmpty()) {
            health.withDetail("unreadable", commands.unreadable());
        }
        Map<VmId, String> definitions = commands.definitions().store().unreadable();
        if (!definitions.isEmpty()) {
            health.withDetail(
                    "unreadableDefinitions",
                    definitions.entrySet().stream()
                            .sorted(Map.Entry.comparingByKey())
                            .limit(names)
                            .map(each -> each.getKey() + ": " + each.getValue())
                            .toList());
            health.withDetail("unreadableDefinitionsCount", definitions.size());
        }
        if (!open.isEmpty()) {
            Operation oldest = open.getLast();
            health.withDetail("oldest", oldest.id().toString());
            health.withDetail("oldestKind", oldest.kind().label());
            health.withDetail("oldestStep", oldest.step());
            health.withDetail("oldestSince", oldest.createdAt().toString());
        }
        return health.build();
    }
}
