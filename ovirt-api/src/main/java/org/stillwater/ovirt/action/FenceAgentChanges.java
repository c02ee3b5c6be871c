package org.stillwater.ovirt.action;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.lock.KeyedLocks;
import org.stillwater.ovirt.resource.FenceAgentIdentity;

/**
 * Fence agents of hosts: {@code /hosts/{id}/fenceagents}. Passwords and secret options are
 * write-only; an agent that is changed without them keeps them, unless it gets another type or
 * address.
 */
final class FenceAgentChanges {

    /** The elements of an agent. */
    static final BodyRules RULES =
            BodyRules.of("fence agent", "agent", "edit Fence Agent")
                    .kept(
                            List.of(
                                    "address",
                                    "type",
                                    "port",
                                    "username",
                                    "password",
                                    "options/option/name",
                                    "options/option/value",
                                    "order"))
                    .fixed(
                            "encrypt_options",
                            "false",
                            "the engine encrypts passwords and secret options always")
                    .fixed("concurrent", "false", "agents are tried one after the other")
                    .unsupported(
                            List.of("name", "description", "comment"),
                            "the engine does not store this member of an agent")
                    .ignored(List.of("id", "host"), "the path names it")
                    .ignored("options/option/type", "values of options are texts")
                    .table();

    private static final String ADD = "add Fence Agent";
    private static final String EDIT = "edit Fence Agent";
    private static final String REMOVE = "remove Fence Agent";
    private static final int MOST = 10;
    private static final int MOST_PORT = 65_535;

    private final Access access;
    private final FenceAgentAccess power;
    private final Duration patience;
    private final KeyedLocks locks = new KeyedLocks("fence agents of hosts");

    FenceAgentChanges(Access access, FenceAgentAccess power, Duration patience) {
        this.access = access;
        this.power = power;
        this.patience = patience;
    }

    /** Makes the new agents of the present ones; returns the index of the one that is shown. */
    @FunctionalInterface
    private interface Edit {
        int apply(List<FenceAgent> agents);
    }

    Outcome add(Change change) {
        HostId host = host(change);
        Body body = RULES.read(change.body(), ADD);
        for (String member : List.of("address", "type")) {
            if (body.text(member) == null) {
                throw Refused.incomplete("Agent [%s] is required for add.".formatted(member));
            }
        }
        return edit(
                host,
                201,
                ADD,
                agents -> {
                    if (agents.size() >= MOST) {
                        throw Refused.conflict(
                                "Cannot add Fence Agent: a host has at most %d.".formatted(MOST));
                    }
                    return placed(agents, agent(body, null, ADD), body, agents.size());
                });
    }

    Outcome update(Change change) {
        HostId host = host(change);
        Body body = RULES.read(change, EDIT);
        return edit(
                host,
                200,
                EDIT,
                agents -> {
                    int at = at(host, agents, change.at(3));
                    FenceAgent next = agent(body, agents.get(at), EDIT);
                    agents.remove(at);
                    return placed(agents, next, body, at);
                });
    }

    Outcome remove(Change change) {
        HostId host = host(change);
        Outcome _ =
                edit(
                        host,
                        200,
                        REMOVE,
                        agents -> {
                            agents.remove(at(host, agents, change.at(3)));
                            return -1;
                        });
        return Operations.removed(change, null);
    }

    private HostId host(Change change) {
        return access.host(change, change.at(1)).state().definition().id();
    }

    private static int at(HostId host, List<FenceAgent> agents, String id) {
        for (int i = 0; i < agents.size(); i++) {
            if (FenceAgentIdentity.of(host, agents, i).equals(id)) {
                return i;
            }
        }
        throw Refused.notFound("FenceAgent", id);
    }

    private static int placed(List<FenceAgent> agents, FenceAgent agent, Body body, int usual) {
        Long order = body.number("order");
        if (order != null && order < 1) {
            throw Refused.invalid("order is at least 1, not " + order);
        }
        int at = order == null ? usual : (int) Math.min(order - 1, agents.size());
        agents.add(at, agent);
        return at;
    }

    private Outcome edit(HostId host, int status, String verb, Edit edit) {
        try (KeyedLocks.Held _ = locks.alone(host, patience)) {
            List<FenceAgent> agents = new ArrayList<>(power.agents(host));
            int at = edit.apply(agents);
            if (!power.replace(host, agents)) {
                throw Refused.notFound("Host", host.toString());
            }
            String path = "hosts/" + host + "/fenceagents";
            return Outcome.showing(
                    status, at < 0 ? path : path + "/" + FenceAgentIdentity.of(host, agents, at));
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        } catch (SecretBox.Unusable e) {
            throw Refused.conflict(
                    "Cannot %s: its secrets cannot be encrypted: %s"
                            .formatted(verb, Operations.sentence(e.getMessage() + "")));
        } catch (KeyedLocks.Busy _) {
            throw Refused.conflict(
                    "Cannot %s: another change of the host has not ended. Related operation is currently in progress."
                            .formatted(verb));
        }
    }

    /** An agent as in a body, over the existing one. */
    FenceAgent agent(Body body, @Nullable FenceAgent before, String verb) {
        String password = body.raw("password");
        if (before != null && before.trouble() != null && password == null) {
            throw Refused.conflict(
                    "Cannot %s: its password cannot be kept, because %s; send it again."
                            .formatted(verb, before.trouble()));
        }
        Long port = body.number("port");
        if (port != null && (port < 1 || port > MOST_PORT)) {
            throw Refused.invalid("port is 1 to %d, not %d".formatted(MOST_PORT, port));
        }
        String type = body.text("type");
        String address = body.text("address");
        String user = body.text("username");
        try {
            FenceAgent agent =
                    new FenceAgent(
                            type == null ? Objects.requireNonNull(before).type() : type,
                            address == null ? Objects.requireNonNull(before).address() : address,
                            port != null
                                    ? (Integer) port.intValue()
                                    : before == null ? null : before.port(),
                            user != null ? user : before == null ? null : before.user(),
                            password != null ? password : before == null ? null : before.password(),
                            options(body, before));
            String refusal = power.refusal(agent);
            if (refusal != null) {
                throw new IllegalArgumentException(refusal);
            }
            if (before != null) {
                requireSecrets(body, before, agent, verb);
            }
            return agent;
        } catch (IllegalArgumentException e) {
            throw Refused.conflict(
                    "Cannot %s: %s".formatted(verb, Operations.sentence(e.getMessage() + "")));
        }
    }

    /**
     * Refuses a change that would give secrets to another machine or program: the engine keeps them
     * for one type and address, as on its own interface.
     */
    private void requireSecrets(Body body, FenceAgent before, FenceAgent next, String verb) {
        if (next.type().equals(before.type()) && next.address().equals(before.address())) {
            return;
        }
        List<String> missing = new ArrayList<>();
        if (before.password() != null && body.raw("password") == null) {
            missing.add("its password");
        }
        List<Body> sent = body.items("options", "option");
        for (String name : before.options().keySet()) {
            if (power.isSecret(before.type(), name)
                    && sent.stream().noneMatch(option -> name.equals(option.text("name")))) {
                missing.add("its option " + name);
            }
        }
        if (!missing.isEmpty()) {
            throw Refused.conflict(
                    "Cannot %s: an agent with another type or address does not keep %s; send it again."
                            .formatted(verb, String.join(" and ", missing)));
        }
    }

    /**
     * Options of a body, which replace all except secret ones: the API does not show those, so that
     * a client cannot send them back.
     */
    private Map<String, String> options(Body body, @Nullable FenceAgent before) {
        Map<String, String> options = new HashMap<>(before == null ? Map.of() : before.options());
        if (!body.has("options")) {
            return options;
        }
        if (before != null) {
            options.keySet().removeIf(name -> !power.isSecret(before.type(), name));
        }
        for (Body option : body.items("options", "option")) {
            String name = option.text("name");
            if (name == null) {
                throw Refused.invalid("an option of an agent has a name and a value");
            }
            options.put(name, Objects.requireNonNullElse(option.raw("value"), ""));
        }
        return options;
    }
}
