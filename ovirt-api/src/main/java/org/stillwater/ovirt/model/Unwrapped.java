package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import tools.jackson.dataformat.xml.annotation.JacksonXmlElementWrapper;

/** A list with its items directly in their parent, each under the list's name. */
@JacksonAnnotationsInside
@JacksonXmlElementWrapper(useWrapping = false)
@Retention(RetentionPolicy.RUNTIME)
@Target({
    ElementType.FIELD,
    ElementType.METHOD,
    ElementType.PARAMETER,
    ElementType.RECORD_COMPONENT
})
@interface Unwrapped {}
