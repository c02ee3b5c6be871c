package org.stillwater.server.api.host;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.fence.FenceAgentCatalog;
import org.stillwater.server.fence.FenceAgents;
import org.stillwater.server.security.AuditedAs;
import tools.jackson.databind.JsonNode;

/**
 * How a host's power is switched: {@code /api/v1/hosts/{id}/fence-agents}. Passwords and secret
 * options are write-only; an agent that is sent without one keeps the one that it has, and is
 * refused where it names one that is not known. Options are those of the allow list ({@link
 * FenceAgentCatalog}).
 */
@RestController
@RequestMapping("/api/v1/hosts/{id}/fence-agents")
class FenceAgentController {

    private static final int MOST = 10;

    /** The option that names an outlet or a blade. */
    private static final String PLUG = "plug";

    /** Tests at a time; each runs one program. */
    private static final int MOST_TESTS = 4;

    private final Semaphore tests = new Semaphore(MOST_TESTS);
    private final FleetReader fleet;
    private final FenceAgentAdministration administration;
    private final FenceAgentCatalog catalog;
    private final FenceAgents power;

    FenceAgentController(
            FleetReader fleet,
            FenceAgentAdministration administration,
            FenceAgentCatalog catalog,
            FenceAgents power) {
        this.fleet = fleet;
        this.power = power;
        this.administration = administration;
        this.catalog = catalog;
    }

    /**
     * An agent as answers show it.
     *
     * @param hasPassword whether a password is kept
     * @param options options with values, without those that are secret
     * @param secretOptions names of options with secret values
     * @param trouble why the agent is not run, null if it may be
     */
    record Agent(
            String type,
            String address,
            @Nullable Integer port,
            @Nullable String user,
            boolean hasPassword,
            Map<String, String> options,
            List<String> secretOptions,
            @Nullable String trouble) {}

    private Agent view(FenceAgent agent) {
        Map<String, String> open = new TreeMap<>();
        List<String> secret = new ArrayList<>();
        agent.options()
                .forEach((name, value) -> {
                    if (catalog.isSecret(agent.type(), name)) {
                        secret.add(name);
                    } else {
                        open.put(name, value);
                    }
                });
        return new Agent(
                agent.type(),
                agent.address(),
                agent.port(),
                agent.user(),
                agent.password() != null || agent.trouble() != null,
                open,
                secret,
                agent.trouble() == null ? catalog.refusal(agent) : agent.trouble());
    }

    /** Agents in the order in which they are tried. */
    record Agents(List<Agent> items, int total) {}

    private Agents view(List<FenceAgent> agents) {
        return new Agents(agents.stream().map(this::view).toList(), agents.size());
    }

    @GetMapping
    Agents list(@PathVariable String id) {
        return view(load(known(id)));
    }

    /** Replaces all of them. */
    @PutMapping
    Agents change(@PathVariable String id, @RequestBody JsonNode body) {
        HostId host = known(id);
        JsonObjectReader all = JsonObjectReader.of(body);
        all.skipNumbers("total");
        if (!all.has("items")) {
            throw all.missing("items"); // none would remove every agent
        }
        List<JsonObjectReader> items = all.objects("items");
        all.end();
        if (items.size() > MOST) {
            throw ApiException.badRequest("a host has at most " + MOST + " fence agents");
        }
        List<FenceAgent> before = load(host);
        List<FenceAgent> agents = new ArrayList<>();
        items.forEach(item -> agents.add(read(item, before)));
        try {
            if (!administration.replace(host, agents)) {
                throw unknown(id);
            }
        } catch (StoreUnavailable e) {
            throw unavailable("saved", e);
        } catch (SecretBox.Unusable e) {
            throw ApiException.conflict(
                    "The fence agents were not saved, because their passwords cannot be encrypted: "
                            + e.getMessage());
        }
        return view(agents);
    }

    /**
     * Asks one agent for the status of its host, as it is in the body. Nothing is changed, so
     * nothing is in the audit log.
     */
    @AuditedAs({})
    @PostMapping("/test")
    FenceAgents.Tested test(@PathVariable String id, @RequestBody JsonNode body) {
        FenceAgent agent = read(JsonObjectReader.of(body), load(known(id)));
        if (!tests.tryAcquire()) {
            throw ApiException.tooMany(MOST_TESTS + " fence agents are being tested; try again.");
        }
        try {
            return power.test(agent);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApiException.unavailable("The engine is stopping.");
        } finally {
            tests.release();
        }
    }

    private FenceAgent read(JsonObjectReader item, List<FenceAgent> before) {
        item.skipTexts("trouble");
        boolean hasPassword = item.flag("hasPassword", false);
        String type = item.requiredText("type");
        String address = item.requiredText("address");
        Integer port = item.number("port");
        String user = item.text("user");
        String password = item.text("password");
        Map<String, String> options = item.namedTexts("options");
        boolean listed = item.has("secretOptions");
        List<String> kept = item.texts("secretOptions");
        item.end();
        FenceAgent same =
                before.stream()
                        .filter(each -> each.type().equals(type) && each.address().equals(address))
                        .max(
                                Comparator.comparingInt(
                                        each -> likeness(each, port, user, options.get(PLUG))))
                        .orElse(null);
        if (same != null) {
            if (same.trouble() != null && password == null) {
                throw ApiException.conflict(
                                "The password of %s cannot be kept: %s; send it anew."
                                        .formatted(same, same.trouble()))
                        .about(item.member("password"));
            }
            same.options()
                    .forEach((name, value) -> {
                        if (catalog.isSecret(type, name) && (!listed || kept.contains(name))) {
                            options.putIfAbsent(name, value);
                        }
                    });
        }
        for (String name : kept) {
            if (!options.containsKey(name)) {
                throw item.refusal(
                        "secretOptions",
                        "secretOptions names %s, but the engine has no value of it for this agent; send it in options"
                                .formatted(Ids.shortened(name)));
            }
        }
        String secret = password == null && same != null ? same.password() : password;
        if (hasPassword && secret == null) {
            throw item.refusal(
                    "password",
                    "hasPassword is true, and the password is not known for this agent; send it");
        }
        try {
            FenceAgent agent = new FenceAgent(type, address, port, user, secret, options);
            FenceAgent.Refused refused = catalog.refused(agent);
            if (refused != null) {
                throw refused;
            }
            return agent;
        } catch (FenceAgent.Refused e) {
            throw item.refusal(e.member(), String.valueOf(e.getMessage()));
        }
    }

    /**
     * Several agents of a host may have one address: ports or accounts of it with passwords each.
     */
    private static int likeness(
            FenceAgent agent,
            @Nullable Integer port,
            @Nullable String user,
            @Nullable String plug) {
        return (Objects.equals(agent.port(), port) ? 4 : 0)
                + (Objects.equals(agent.user(), user) ? 2 : 0)
                + (Objects.equals(agent.options().get(PLUG), plug) ? 1 : 0);
    }

    private HostId known(String id) {
        HostId host = Ids.host(id);
        if (fleet.host(host) == null) {
            throw unknown(id);
        }
        return host;
    }

    private List<FenceAgent> load(HostId host) {
        try {
            return administration.agents(host);
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
