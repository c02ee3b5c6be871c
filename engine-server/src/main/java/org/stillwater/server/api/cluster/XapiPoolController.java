package org.stillwater.server.api.cluster;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.connection.XapiPoolDefinition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.server.api.operation.Commands;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Correlation;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.security.AuditedAs;
import org.stillwater.server.settings.RestSettings;
import org.stillwater.server.settings.XapiSettings;
import org.stillwater.server.xapi.PoolAdministration;
import org.stillwater.server.xapi.PoolEncodings;
import org.stillwater.server.xapi.PoolRefused;
import org.stillwater.server.xapi.PoolView;
import org.stillwater.server.xapi.PoolWish;
import tools.jackson.databind.JsonNode;

/**
 * Pools of XenServer and XCP-ng hosts: {@code /api/v1/xapi-pools}. Those of the settings are shown
 * and not changed.
 */
@RestController
class XapiPoolController {

    private static final String PATH = "/api/v1/xapi-pools";

    /** Requests at a time that log in to a pool. */
    private static final int MOST_LOGINS = 4;

    /** A pool has 64 hosts at most. */
    private static final int MOST_FINGERPRINTS = 64;

    /** DNS names and IP addresses, an IPv6 zone included. */
    private static final Pattern ADDRESS = Pattern.compile("[A-Za-z0-9_.:%-]{1,255}");

    private static final List<String> ENCODINGS =
            List.of(XapiSettings.Encoding.values()).stream().map(PoolEncodings::word).toList();

    private final PoolAdministration administration;
    private final CallerScope scope;
    private final RestSettings settings;
    private final Semaphore logins = new Semaphore(MOST_LOGINS);

    XapiPoolController(
            PoolAdministration administration, CallerScope scope, RestSettings settings) {
        this.administration = administration;
        this.scope = scope;
        this.settings = settings;
    }

    private List<PoolView> seen(Caller caller) {
        return administration.pools().stream()
                .filter(pool ->
                        pool.id() == null ? caller.has(Role.READER) : scope.sees(pool.id(), caller))
                .toList();
    }

    private PoolView known(String id) {
        return Ids.one(
                "XAPI pool",
                id,
                seen(scope.caller()),
                pool -> pool.id() == null ? "" : pool.id(),
                PoolView::name);
    }

    @GetMapping(PATH)
    XapiPoolJson.XapiPoolList list() {
        Caller caller = scope.caller();
        List<XapiPoolJson.XapiPool> all =
                seen(caller).stream().map(pool -> XapiPoolJson.shown(pool, caller)).toList();
        return new XapiPoolJson.XapiPoolList(all, all.size());
    }

    @GetMapping(PATH + "/{id}")
    XapiPoolJson.XapiPool one(@PathVariable String id) {
        return XapiPoolJson.shown(known(id), scope.caller());
    }

    /** Nothing is changed, so nothing is in the audit log. */
    @AuditedAs({})
    @PostMapping(PATH + ":test")
    XapiPoolJson.XapiPoolTest test(@RequestBody JsonNode body) {
        JsonObjectReader asked = JsonObjectReader.of(body);
        List<String> addresses = addresses(asked);
        if (addresses.isEmpty()) {
            throw asked.missing("addresses");
        }
        String name = asked.has("name") ? asked.requiredName("name") : addresses.getFirst();
        PoolWish wish = wish(asked, name, addresses);
        return alone(() -> XapiPoolJson.XapiPoolTest.of(administration.test(wish)));
    }

    @AuditedAs(AuditEvent.XAPI_POOL_ADDED)
    @PostMapping(PATH)
    ResponseEntity<XapiPoolJson.XapiPool> add(
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation,
            @RequestBody JsonNode body) {
        JsonObjectReader asked = JsonObjectReader.of(body);
        String name = asked.requiredName("name");
        List<String> addresses = addresses(asked);
        if (addresses.isEmpty()) {
            throw asked.missing("addresses");
        }
        PoolWish wish = wish(asked, name, addresses);
        String user = Commands.origin(correlation).requestedBy();
        PoolView added =
                alone(() -> {
                    try {
                        return administration.add(wish, user);
                    } catch (PoolRefused e) {
                        throw refused(e);
                    } catch (StoreUnavailable e) {
                        throw unavailable("added", e);
                    }
                });
        return ResponseEntity.created(URI.create(PATH + "/" + added.id()))
                .body(XapiPoolJson.shown(added, scope.caller()));
    }

    /** Changes the given members; missing ones keep their values. */
    @AuditedAs(AuditEvent.XAPI_POOL_CHANGED)
    @PutMapping(PATH + "/{id}")
    XapiPoolJson.XapiPool change(
            @PathVariable String id,
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation,
            @RequestBody JsonNode body) {
        PoolView before = known(id);
        JsonObjectReader asked = JsonObjectReader.of(body);
        String name = asked.text("name", before.name()).strip();
        if (!name.equals(before.name())) {
            throw ApiException.badRequest("a XAPI pool keeps its name, which is " + before.name())
                    .about("name");
        }
        List<String> addresses = addresses(asked);
        String trust = trust(asked);
        List<String> encodings = encodings(asked);
        PoolWish wish =
                new PoolWish(
                        name,
                        addresses.isEmpty() ? before.addresses() : addresses,
                        asked.number("port", before.port(), 1, 65_535),
                        asked.text("user", before.user(), XapiPoolDefinition.LONGEST_TEXT),
                        password(asked),
                        trust == null && !asked.isNull("trust") ? before.trust() : trust,
                        encodings.isEmpty() ? before.encodings() : encodings,
                        fingerprints(asked));
        asked.end();
        String user = Commands.origin(correlation).requestedBy();
        PoolView changed =
                alone(() -> {
                    try {
                        return administration.change(before, wish, user);
                    } catch (PoolRefused e) {
                        throw refused(e);
                    } catch (StoreUnavailable e) {
                        throw unavailable("changed", e);
                    }
                });
        return XapiPoolJson.shown(changed, scope.caller());
    }

    /** 204 once no host and no VM of it is left, 202 while that takes longer. */
    @AuditedAs(AuditEvent.XAPI_POOL_REMOVED)
    @DeleteMapping(PATH + "/{id}")
    ResponseEntity<XapiPoolJson.XapiPool> remove(
            @PathVariable String id, @RequestAttribute(Correlation.ATTRIBUTE) String correlation) {
        PoolView pool = known(id);
        String user = Commands.origin(correlation).requestedBy();
        try {
            if (administration.remove(pool, user, settings.orderPatience())) {
                return ResponseEntity.noContent().build();
            }
        } catch (PoolRefused e) {
            throw refused(e);
        } catch (StoreUnavailable e) {
            throw unavailable("removed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApiException.unavailable("The engine is stopping.");
        }
        Caller caller = scope.caller();
        return administration.pools().stream()
                .filter(each -> !each.ofSettings() && each.name().equals(pool.name()))
                .findFirst()
                .map(each ->
                        ResponseEntity.status(HttpStatus.ACCEPTED)
                                .body(XapiPoolJson.shown(each, caller)))
                .orElseGet(() -> ResponseEntity.noContent().build());
    }

    // ------------------------------------------------------------------------------- bodies

    private static PoolWish wish(JsonObjectReader asked, String name, List<String> addresses) {
        int port = asked.number("port", XapiPoolDefinition.DEFAULT_PORT, 1, 65_535);
        String user = asked.text("user", "root", XapiPoolDefinition.LONGEST_TEXT);
        String password = password(asked);
        String trust = trust(asked);
        List<String> encodings = encodings(asked);
        Set<CertificateFingerprint> fingerprints = fingerprints(asked);
        asked.end();
        return new PoolWish(
                name,
                addresses,
                port,
                user,
                password,
                trust,
                encodings.isEmpty() ? ENCODINGS : encodings,
                fingerprints);
    }

    private static @Nullable String password(JsonObjectReader asked) {
        return asked.has("password")
                ? asked.text("password", "", XapiPoolDefinition.LONGEST_TEXT)
                : null;
    }

    private static @Nullable String trust(JsonObjectReader asked) {
        String trust = asked.text("trust", "", XapiPoolDefinition.LONGEST_TRUST);
        return trust.isBlank() ? null : trust;
    }

    /** Empty if left out. */
    private static List<String> addresses(JsonObjectReader asked) {
        List<String> addresses = new ArrayList<>();
        for (String each : asked.texts("addresses")) {
            if (!ADDRESS.matcher(each.strip()).matches()) {
                throw asked.refusal("addresses", "addresses are DNS names or IP addresses");
            }
            addresses.add(each.strip());
        }
        return addresses;
    }

    private static List<String> encodings(JsonObjectReader asked) {
        List<XapiSettings.Encoding> encodings = asked.words("encodings", PoolEncodings.WORDS);
        return encodings == null
                ? List.of()
                : encodings.stream().map(PoolEncodings::word).distinct().toList();
    }

    private static Set<CertificateFingerprint> fingerprints(JsonObjectReader asked) {
        Set<CertificateFingerprint> fingerprints = new HashSet<>();
        for (String each : asked.texts("fingerprints")) {
            try {
                fingerprints.add(CertificateFingerprint.parse(each));
            } catch (IllegalArgumentException e) {
                throw asked.refusal("fingerprints", String.valueOf(e.getMessage()));
            }
        }
        if (fingerprints.size() > MOST_FINGERPRINTS) {
            throw asked.refusal(
                    "fingerprints", "fingerprints has at most " + MOST_FINGERPRINTS + " entries");
        }
        return fingerprints;
    }

    /** A request that logs in to a pool. */
    @FunctionalInterface
    private interface Login<T> {
        T run();
    }

    private <T> T alone(Login<T> login) {
        if (!logins.tryAcquire()) {
            throw ApiException.tooMany(
                    MOST_LOGINS + " requests log in to XAPI pools now; try again.");
        }
        try {
            return login.run();
        } finally {
            logins.release();
        }
    }

    private static ApiException refused(PoolRefused e) {
        String why = String.valueOf(e.getMessage());
        return switch (e.reason()) {
            case INVALID -> ApiException.badRequest(why);
            case PASSWORD_MISSING -> ApiException.badRequest(why).about("password");
            case UNCONFIRMED_CERTIFICATE,
                    UNTRUSTED_CERTIFICATE,
                    WRONG_PASSWORD,
                    NOT_PERMITTED,
                    REFUSED,
                    NO_COORDINATOR,
                    NO_XAPI,
                    UNREACHABLE,
                    OTHER_POOL,
                    ALREADY_WATCHED,
                    NAME_TAKEN,
                    TOO_MANY,
                    OF_SETTINGS,
                    REMOVING,
                    NO_KEY ->
                    ApiException.conflict(why);
        };
    }

    private static ApiException unavailable(String what, StoreUnavailable e) {
        return ApiException.unavailable(
                "The XAPI pool was not %s, because the database does not answer: %s"
                        .formatted(what, e.getMessage()));
    }
}
