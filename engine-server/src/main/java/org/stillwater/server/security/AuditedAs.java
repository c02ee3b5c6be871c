package org.stillwater.server.security;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.stillwater.core.audit.AuditEvent;

/**
 * Marks an endpoint with audit events of its own for its change. {@link Admission} records {@link
 * AuditEvent#CHANGE_ASKED} for every other request that may change something, at any path: an
 * endpoint without the annotation is audited.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface AuditedAs {

    /** Attribute of a request without a method to mark, if its change has its own event. */
    String ATTRIBUTE = "stillwater.audited";

    /** Attribute of a read that is recorded like a change, set by its endpoint. */
    String READ_ATTRIBUTE = "stillwater.audited.read";

    /**
     * The events that record the change, at least one of them; none for an endpoint without a
     * change.
     */
    AuditEvent[] value();
}
