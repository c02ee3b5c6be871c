package org.stillwater.server.health;

import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.command.CommandEngine;
import org.stillwater.core.operation.Operation;
import org.stillwater.server.settings.IfCommandsAreEnabled;

/** What is under way; it is told and does not make the engine unready. */
@IfCommandsAreEnabled
@Component
class CommandsHealthIndicator implements HealthIndicator {

    private final CommandEngine commands;

    CommandsHealthIndicator(CommandEngine commands) {
        this.commands = commands;
    }

    @Override
    public Health health() {
        Health.Builder health = Health.up();
        List<Operation> open = commands.operations(operation -> !operation.isEnded());
        health.withDetail("open", open.size());
        health.withDetail("most", commands.settings().mostOpen());
        if (!commands.unreadable().isEmpty()) {
            health.withDetail("unreadable", commands.unreadable());
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
