package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import tools.jackson.dataformat.xml.annotation.JacksonXmlProperty;

/** An attribute in XML, a member like any other in JSON. */
@JacksonAnnotationsInside
@JacksonXmlProperty(isAttribute = true)
@Retention(RetentionPolicy.RUNTIME)
@Target({
    ElementType.FIELD,
    ElementType.METHOD,
    ElementType.PARAMETER,
    ElementType.RECORD_COMPONENT
})
@interface Attribute {}
