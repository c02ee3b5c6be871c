package org.stillwater.core.analysis;

import javax.xml.stream.XMLStreamException;
import org.jspecify.annotations.Nullable;

/** The elements of a document in order, as far as {@link DomainXmlReader} reads them. */
interface XmlCursor {

    /** The present event, by the codes of {@link javax.xml.stream.XMLStreamConstants}. */
    int event();

    /** The next event. A cursor may leave out all but begins and ends of elements. */
    int next() throws XMLStreamException;

    /** Whether an element begins here. */
    boolean isStart();

    /** Local name of the element. */
    String name();

    /** Namespace of the element, null for none. */
    @Nullable String namespace();

    /** Value of the attribute with this local name, null for none. */
    @Nullable String attribute(String name);

    /** Number of the element's attributes. */
    int attributes();

    /** Local name of an attribute, counted from 0. */
    String attributeName(int index);

    /** Value of an attribute, counted from 0. */
    String attributeValue(int index);

    /** Text of the element, which has no elements in it; the cursor is at its end then. */
    String text() throws XMLStreamException;
}
