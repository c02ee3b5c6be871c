package org.stillwater.server.security;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.VmCommandAccess;

/** Audit events of logins, refused logins, and changes of users. Thread-safe. */
@Component
class SecurityAudit {

    private static final int LONGEST = 128;

    private final BiConsumer<AuditEvent, Map<String, String>> events;

    @Autowired
    SecurityAudit(MonitoringEngine engine) {
        this(to(engine.commandAccess()));
    }

    /** Writes to a receiver of events and their details. */
    SecurityAudit(BiConsumer<AuditEvent, Map<String, String>> events) {
        this.events = events;
    }

    private static BiConsumer<AuditEvent, Map<String, String>> to(VmCommandAccess vmAccess) {
        return (event, details) -> vmAccess.audit(event, null, null, details);
    }

    void loggedIn(String user, String address, String means) {
        record(AuditEvent.USER_VDC_LOGIN, user, Map.of("address", address, "means", means));
    }

    void loggedOut(String user) {
        record(AuditEvent.USER_VDC_LOGOUT, user, Map.of());
    }

    void failed(String user, String address) {
        record(AuditEvent.USER_VDC_LOGIN_FAILED, user, Map.of("address", address));
    }

    void slowed(String user, String address, int failures) {
        record(
                AuditEvent.USER_LOGINS_SLOWED,
                user,
                Map.of("address", address, "failures", Integer.toString(failures)));
    }

    void slowed(String address, int failures) {
        record(
                AuditEvent.ADDRESS_LOGINS_SLOWED,
                "",
                Map.of("address", address, "failures", Integer.toString(failures)));
    }

    void sessionsLimited(String user, String address, String outcome) {
        record(AuditEvent.SESSIONS_LIMITED, user, Map.of("address", address, "outcome", outcome));
    }

    void firstPasswordChanged(String user) {
        record(AuditEvent.FIRST_PASSWORD_CHANGED, user, Map.of());
    }

    void originRefused(String origin, String address) {
        record(AuditEvent.ORIGIN_REFUSED, "", Map.of("origin", origin, "address", address));
    }

    void hostRefused(String host, String address) {
        record(AuditEvent.HOST_NAME_REFUSED, "", Map.of("name", host, "address", address));
    }

    void userAdded(String subject, String by) {
        record(AuditEvent.USER_ADDED, by, Map.of("subject", subject));
    }

    void userChanged(String subject, String what, String by) {
        record(AuditEvent.USER_CHANGED, by, Map.of("subject", subject, "what", what));
    }

    void userRemoved(String subject, String by) {
        record(AuditEvent.USER_REMOVED, by, Map.of("subject", subject));
    }

    void tokenMade(String subject, String label, String by) {
        record(AuditEvent.TOKEN_MADE, by, Map.of("subject", subject, "label", label));
    }

    void tokenRevoked(String subject, String label, String by) {
        record(AuditEvent.TOKEN_REVOKED, by, Map.of("subject", subject, "label", label));
    }

    void changed(String request, int status, String by) {
        record(
                AuditEvent.CHANGE_ASKED,
                by,
                Map.of("request", request, "status", Integer.toString(status)));
    }

    private void record(AuditEvent event, String user, Map<String, String> details) {
        Map<String, String> all = new HashMap<>();
        details.forEach((name, value) -> all.put(name, printable(value)));
        if (!user.isEmpty()) {
            all.put("user", printable(user));
        }
        events.accept(event, all);
    }

    /** Text of a client, of bounded length and without characters that could forge lines. */
    private static String printable(String text) {
        StringBuilder clean = new StringBuilder();
        text.codePoints()
                .limit(LONGEST)
                .forEach(c -> clean.appendCodePoint(Character.isISOControl(c) ? '?' : c));
        return clean.toString();
    }
}
