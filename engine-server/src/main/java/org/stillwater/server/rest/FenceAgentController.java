package org.stillwater.server.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.model.HostId;
import org.stillwater.core.port.DefinitionStore;
import org.stillwater.core.port.FenceAgent;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.ovirt.fleet.PowerAgents;
import org.stillwater.ovirt.fleet.Specifications;
import tools.jackson.databind.JsonNode;

/**
 * How a host's power is switched: {@code /api/v1/hosts/{id}/fence-agents}. Passwords are taken in
 * and never told; an agent that is sent without one keeps the one that it has.
 */
@RestController
@RequestMapping("/api/v1/hosts/{id}/fence-agents")
class FenceAgentController {

    /** Options that are no options: what is done, where, and what is secret. */
    private static final Set<String> TOLD_OTHERWISE =
            Set.of(
                    "action",
                    "option",
                    "ip",
                    "ipaddr",
                    "ipport",
                    "username",
                    "login",
                    "password",
                    "passwd");

    private static final int MOST = 10;

    private final MonitoringEngine engine;
    private final DefinitionStore store;
    private final PowerAgents told;

    FenceAgentController(
            MonitoringEngine engine, DefinitionStore store, Specifications specifications) {
        this.engine = engine;
        this.store = store;
        this.told = specifications.agents();
    }

    /**
     * An agent as it is told.
     *
     * @param hasPassword whether a password is kept
     */
    record Agent(
            String type,
            String address,
            @Nullable Integer port,
            @Nullable String user,
            boolean hasPassword,
            Map<String, String> options) {

        static Agent of(FenceAgent agent) {
            return new Agent(
                    agent.type(),
                    agent.address(),
                    agent.port(),
                    agent.user(),
                    agent.password() != null,
                    agent.options());
        }
    }

    /** Agents in the order in which they are tried. */
    record Agents(List<Agent> items, int total) {

        static Agents of(List<FenceAgent> agents) {
            return new Agents(agents.stream().map(Agent::of).toList(), agents.size());
        }
    }

    @GetMapping
    Agents list(@PathVariable String id) {
        return Agents.of(load(known(id)));
    }

    /** Replaces all of them. */
    @PutMapping
    Agents change(@PathVariable String id, @RequestBody JsonNode body) {
        HostId host = known(id);
        Members all = Members.of(body);
        all.skip("total");
        List<Members> items = all.objects("items");
        all.end();
        if (items.size() > MOST) {
            throw ApiException.badRequest("a host has at most " + MOST + " fence agents");
        }
        List<FenceAgent> before = load(host);
        List<FenceAgent> agents = new ArrayList<>();
        items.forEach(item -> agents.add(read(item, before)));
        try {
            if (!store.saveFenceAgents(host, agents)) {
                throw unknown(id);
            }
        } catch (StoreUnavailable e) {
            throw unavailable("saved", e);
        }
        told.replaced(host, agents);
        return Agents.of(agents);
    }

    private static FenceAgent read(Members item, List<FenceAgent> before) {
        item.skip("hasPassword");
        String type = item.requiredText("type");
        String address = item.requiredText("address");
        Integer port = item.number("port");
        String user = item.text("user");
        String password = item.text("password");
        Map<String, String> options = item.namedTexts("options");
        item.end();
        for (String name : options.keySet()) {
            if (TOLD_OTHERWISE.contains(name)) {
                throw ApiException.badRequest(
                        ("the option %s is told to a fence agent by the engine; use type, address,"
                                        + " port, user and password")
                                .formatted(name));
            }
        }
        FenceAgent same =
                before.stream()
                        .filter(each -> each.type().equals(type) && each.address().equals(address))
                        .findFirst()
                        .orElse(null);
        String kept = password == null && same != null ? same.password() : password;
        return item.make(() -> new FenceAgent(type, address, port, user, kept, options));
    }

    private HostId known(String id) {
        HostId host = Ids.host(id);
        if (engine.host(host) == null) {
            throw unknown(id);
        }
        return host;
    }

    private List<FenceAgent> load(HostId host) {
        try {
            return store.fenceAgents(host);
        } catch (StoreUnavailable e) {
            throw unavailable("read", e);
        }
    }

    private static ApiException unknown(String id) {
        return ApiException.notFound("There is no host " + Ids.shortened(id) + ".");
    }

    private static ApiException unavailable(String what, StoreUnavailable e) {
        return ApiException.unavailable(
                "The fence agents were not %s, because the database does not answer: %s"
                        .formatted(what, e.getMessage()));
    }
}
