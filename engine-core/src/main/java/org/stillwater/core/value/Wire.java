package org.stillwater.core.value;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares where a component of a record stands in an object that a host reports. A record in which
 * each component has one is read by the decoder from this declaration; the reference page of host
 * fields lists it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Wire {

    /**
     * Name of the member; of several names, the first that has a value counts. In brackets where
     * the value comes from elsewhere; a record in brackets has its members among those of the
     * whole.
     */
    String[] value();

    /** Unit of the value, empty for none. */
    String unit() default "";

    /** How the value is written. */
    Form form() default Form.PLAIN;

    /** How a value is written. */
    enum Form {
        /** By the type of the component; an empty text counts as none. */
        PLAIN,
        /** A whole number that only grows; a negative one counts as none. */
        COUNTER,
        /** Anything, kept as JSON text. */
        JSON,
        /** {@code on} or {@code true} for true, any other text for false. */
        ON_OFF,
        /** {@code up} for true, any other text for false. */
        UP
    }
}
