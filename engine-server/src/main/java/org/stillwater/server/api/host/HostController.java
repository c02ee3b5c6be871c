package org.stillwater.server.api.host;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.annotations.ParameterObject;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostTraits;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAddressInUse;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.relay.intake.RelayIntake;
import org.stillwater.server.api.rows.ClusterReference;
import org.stillwater.server.api.rows.ListQuery;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.Json;
import org.stillwater.server.api.web.JsonObjectReader;
import tools.jackson.databind.JsonNode;

/** Hosts: {@code /api/v1/hosts}. */
@RestController
@RequestMapping("/api/v1/hosts")
class HostController {

    /** DNS names and IP addresses, an IPv6 zone included. */
    private static final Pattern ADDRESS = Pattern.compile("[A-Za-z0-9_.:%-]{1,255}");

    /** Longest wait of a change for the host's thread, so that the next request reads it. */
    private static final Duration SEEN_PATIENCE = Duration.ofSeconds(5);

    private final FleetReader fleet;
    private final HostAdministration administration;
    private final HostLists lists;
    private final CallerScope scope;
    private final @Nullable RelayIntake relays;

    HostController(
            FleetReader fleet,
            HostAdministration administration,
            HostLists lists,
            CallerScope scope,
            ObjectProvider<RelayIntake> relays) {
        this.fleet = fleet;
        this.administration = administration;
        this.lists = lists;
        this.scope = scope;
        this.relays = relays.getIfAvailable();
    }

    @GetMapping
    void list(
            @ParameterObject HostFilter filter,
            @ParameterObject ListQuery query,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        lists.answer(filter, query, scope.caller(), request, response);
    }

    @GetMapping("/{id}")
    HostJsonModule.Host one(@PathVariable String id) {
        return detail(known(id));
    }

    @GetMapping("/{id}/numa")
    HostJsonModule.HostNuma numa(@PathVariable String id) {
        return new HostJsonModule.HostNuma(known(id));
    }

    /** With the VMs that it claims, of those that the caller may see. */
    private HostJsonModule.Host detail(HostView host) {
        Caller caller = scope.caller();
        HostId id = host.state().definition().id();
        return new HostJsonModule.Host(
                host,
                fleet.tags().set(id).names(),
                fleet.contested(id).stream()
                        .filter(claim -> scope.has(Role.READER, claim.vm(), caller))
                        .toList(),
                relays == null ? null : relays.status(id),
                fleet.pace(id),
                fleet.hypervisor(host.state().definition().cluster()));
    }

    private HostView known(String id) {
        HostView host = lists.visible(Ids.host(id), scope.caller());
        if (host == null) {
            throw ApiException.notFound("There is no host " + Ids.shortened(id) + ".");
        }
        return host;
    }

    @PostMapping
    ResponseEntity<HostJsonModule.Host> add(@RequestBody JsonNode body) {
        HostDefinition host = definition(JsonObjectReader.of(body));
        try {
            if (!administration.addHost(host)) {
                throw ApiException.conflict("There is already a host " + host.name() + ".");
            }
        } catch (HostAddressInUse e) {
            throw inUse(e);
        } catch (IllegalArgumentException e) {
            throw ApiException.conflict("The host was not added: " + e.getMessage());
        } catch (StoreUnavailable e) {
            throw ApiException.unavailable(
                    "The host was not added, because the database does not answer: "
                            + e.getMessage());
        }
        HostView added = fleet.host(host.id());
        URI location = URI.create("/api/v1/hosts/" + host.id());
        return added == null
                ? ResponseEntity.created(location).build()
                : ResponseEntity.created(location).body(detail(added));
    }

    /** Changes the given members; missing ones keep their values. */
    @PutMapping("/{id}")
    HostJsonModule.Host change(@PathVariable String id, @RequestBody JsonNode body) {
        HostDefinition next = changed(known(id).state(), JsonObjectReader.of(body));
        String refusal;
        try {
            refusal = administration.updateHost(next, SEEN_PATIENCE);
        } catch (StoreUnavailable e) {
            throw ApiException.unavailable(
                    "The host was not changed, because the database does not answer: "
                            + e.getMessage());
        } catch (HostAddressInUse e) {
            throw inUse(e);
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        }
        HostState state = known(id).state();
        if (refusal != null) {
            throw ApiException.conflict(
                    "The host is %s: %s".formatted(Json.word(state.status()), refusal));
        }
        return detail(known(id).redefined(next)); // its monitor may still be busy
    }

    private HostDefinition changed(HostState present, JsonObjectReader body) {
        HostDefinition host = present.definition();
        HostTraits traits = host.traits();
        String cluster = body.text("cluster");
        String name = body.text("name", host.name()).strip();
        if (!name.equals(host.name())) {
            throw ApiException.badRequest("a host keeps its name, which is " + host.name());
        }
        HostDefinition next;
        try {
            next =
                    new HostDefinition(
                            host.id(),
                            name,
                            address(body.text("address", host.address()).strip()),
                            body.number("port", host.port()),
                            cluster == null || cluster.isBlank()
                                    ? host.cluster()
                                    : ClusterReference.of(fleet, cluster),
                            new HostTraits(
                                    body.flag("powerManagement", traits.powerManagement()),
                                    body.flag("kdumpIntegration", traits.kdumpIntegration()),
                                    body.flag("storagePoolManager", traits.storagePoolManager()),
                                    body.flag("olderAgent", traits.olderAgent()),
                                    body.text(
                                            "comment",
                                            traits.comment(),
                                            HostTraits.LONGEST_COMMENT)));
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        }
        body.end();
        return next;
    }

    private static ApiException inUse(HostAddressInUse e) {
        HostDefinition there = e.owner();
        return ApiException.conflict(
                "Host %s is at %s, port %d, already."
                        .formatted(there.name(), there.address(), there.port()));
    }

    /** The address of a host, if it can be one. */
    static String address(String address) {
        if (!ADDRESS.matcher(address).matches()) {
            throw ApiException.badRequest("address must be a DNS name or an IP address");
        }
        return address;
    }

    private HostDefinition definition(JsonObjectReader body) {
        String name = body.requiredName("name");
        String address = address(body.requiredText("address"));
        int port = body.number("port", HostDefinition.DEFAULT_PORT);
        String cluster = body.text("cluster");
        boolean olderAgent = body.flag("olderAgent", false);
        String comment = body.text("comment", "", HostTraits.LONGEST_COMMENT);
        body.end();
        try {
            return new HostDefinition(
                    new HostId(UUID.randomUUID()),
                    name,
                    address,
                    port,
                    ClusterReference.of(fleet, cluster),
                    new HostTraits(false, false, false, olderAgent, comment));
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        }
    }
}
