package org.stillwater.server.api.host;

import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.command.host.HostOperations;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.operation.Commands;
import org.stillwater.server.api.operation.OperationJsonModule;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Correlation;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.settings.IfCommandsAreEnabled;
import tools.jackson.databind.JsonNode;

/** Hosts that run nothing: switched off by the engine, or by hand. */
@IfCommandsAreEnabled
@RestController
@RequestMapping("/api/v1/hosts/{id}")
class HostFencingController {

    private final HostOperations hosts;
    private final FleetReader fleet;
    private final Commands commands;

    HostFencingController(HostOperations hosts, FleetReader fleet, Commands commands) {
        this.hosts = hosts;
        this.fleet = fleet;
        this.commands = commands;
    }

    @PostMapping("/fence")
    ResponseEntity<OperationJsonModule.OperationView> fence(
            @PathVariable String id,
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation,
            @RequestBody(required = false) @Nullable JsonNode body) {
        HostId host = known(id, body);
        return commands.accepted(commands.await(hosts.fence(host, Commands.origin(correlation))));
    }

    @PostMapping("/confirm-rebooted")
    ResponseEntity<OperationJsonModule.OperationView> confirm(
            @PathVariable String id,
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation,
            @RequestBody(required = false) @Nullable JsonNode body) {
        HostId host = known(id, body);
        return commands.accepted(
                commands.await(hosts.confirmRebooted(host, Commands.origin(correlation))));
    }

    private HostId known(String id, @Nullable JsonNode body) {
        HostId host = Ids.host(id);
        if (fleet.host(host) == null) {
            throw ApiException.notFound("There is no host " + Ids.shortened(id) + ".");
        }
        if (body != null) {
            JsonObjectReader.of(body).end();
        }
        return host;
    }
}
