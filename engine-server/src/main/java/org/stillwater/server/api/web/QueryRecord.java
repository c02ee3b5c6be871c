package org.stillwater.server.api.web;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A record that stands for the query of a request: {@link QueryRecords} makes it out of the
 * parameters. Every component is a text, null when the request has no parameter of its name. A
 * parameter comes once, except for lists.
 */
public interface QueryRecord {

    /** Marks a component that is a list by commas: its parameter may come several times. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    @interface Several {}
}
