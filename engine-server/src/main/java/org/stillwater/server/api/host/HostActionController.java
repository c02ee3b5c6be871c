package org.stillwater.server.api.host;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.Json;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.security.AuditedAs;
import org.stillwater.server.settings.RestSettings;
import tools.jackson.databind.JsonNode;

/** Actions on a host: {@code /api/v1/hosts/{id}/…}, and its removal. */
@RestController
@RequestMapping("/api/v1/hosts/{id}")
class HostActionController {

    private static final int LONGEST_REASON = 1_000;

    private final FleetReader fleet;
    private final HostAdministration administration;
    private final Duration patience;

    HostActionController(
            FleetReader fleet, HostAdministration administration, RestSettings settings) {
        this.fleet = fleet;
        this.administration = administration;
        this.patience = settings.orderPatience();
    }

    /**
     * Outcome of an order.
     *
     * @param id the host
     * @param status its status now
     */
    record Answer(String id, String status) {}

    @PostMapping("/activate")
    ResponseEntity<Answer> activate(
            @PathVariable String id, @RequestBody(required = false) @Nullable JsonNode body) {
        if (body != null) {
            JsonObjectReader.of(body).end();
        }
        return order(id, new HostFact.Activate());
    }

    @PostMapping("/maintenance")
    ResponseEntity<Answer> maintenance(
            @PathVariable String id, @RequestBody(required = false) @Nullable JsonNode body) {
        return order(
                id, new HostFact.Maintain(body == null ? null : reason(JsonObjectReader.of(body))));
    }

    private static @Nullable String reason(JsonObjectReader body) {
        String reason = body.text("reason");
        body.end();
        if (reason != null && reason.length() > LONGEST_REASON) {
            throw ApiException.badRequest("reason has at most " + LONGEST_REASON + " characters");
        }
        return reason == null || reason.isBlank() ? null : reason.strip();
    }

    /** Asks the host for everything about its VMs, outside the schedule. */
    @AuditedAs({})
    @PostMapping("/refresh")
    ResponseEntity<Void> refresh(@PathVariable String id) {
        if (!administration.refresh(Ids.host(id))) {
            throw unknown(id);
        }
        return ResponseEntity.accepted().build();
    }

    @DeleteMapping
    ResponseEntity<Void> remove(@PathVariable String id) {
        OrderAnswer answer;
        try {
            answer = administration.removeHost(Ids.host(id), patience);
        } catch (StoreUnavailable e) {
            throw ApiException.unavailable(
                    "The host was not removed, because the database does not answer: "
                            + e.getMessage());
        } catch (TimeoutException e) {
            throw ApiException.unavailable(
                    "The host was not removed, because its monitor is busy; try again.");
        } catch (InterruptedException e) {
            throw interrupted();
        }
        return switch (answer) {
            case null -> throw unknown(id);
            case OrderAnswer.Refused refused -> throw conflict(refused);
            case OrderAnswer.Followed _ -> ResponseEntity.noContent().build();
        };
    }

    /** 200 once it is durable, 202 when that takes long, 409 when the host cannot do it now. */
    private ResponseEntity<Answer> order(String text, HostFact.Order order) {
        HostId id = Ids.host(text);
        CompletableFuture<OrderAnswer> future = administration.order(id, order);
        if (future == null) {
            throw unknown(text);
        }
        try {
            return switch (future.get(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                case OrderAnswer.Refused refused -> throw conflict(refused);
                case OrderAnswer.Followed followed ->
                        ResponseEntity.ok(new Answer(id.toString(), Json.word(followed.status())));
            };
        } catch (TimeoutException e) {
            var host = fleet.host(id);
            if (host == null) {
                throw unknown(text);
            }
            return ResponseEntity.status(HttpStatus.ACCEPTED)
                    .body(new Answer(id.toString(), Json.word(host.state().status())));
        } catch (CancellationException | ExecutionException e) {
            throw ApiException.unavailable(
                    "The watching of the host ended before it followed; look at its status.");
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static ApiException conflict(OrderAnswer.Refused refused) {
        return ApiException.conflict(
                "The host is %s: %s".formatted(Json.word(refused.status()), refused.why()));
    }

    private static ApiException interrupted() {
        Thread.currentThread().interrupt(); // the server is stopping
        return ApiException.unavailable("The engine is stopping.");
    }

    private static ApiException unknown(String id) {
        return ApiException.notFound("There is no host " + Ids.shortened(id) + ".");
    }
}
