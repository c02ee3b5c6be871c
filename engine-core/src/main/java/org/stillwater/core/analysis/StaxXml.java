package org.stillwater.core.analysis;

import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/** Any document, read by a reader of the JDK. */
record StaxXml(XMLStreamReader reader) implements XmlCursor {

    @Override
    public int event() {
        return reader.getEventType();
    }

    @Override
    public int next() throws XMLStreamException {
        return reader.next();
    }

    @Override
    public boolean isStart() {
        return reader.isStartElement();
    }

    @Override
    public String name() {
        return reader.getLocalName();
    }

    @Override
    public @Nullable String namespace() {
        return reader.getNamespaceURI();
    }

    @Override
    public @Nullable String attribute(String name) {
        return reader.getAttributeValue(null, name);
    }

    @Override
    public int attributes() {
        return reader.getAttributeCount();
    }

    @Override
    public String attributeName(int index) {
        return reader.getAttributeLocalName(index);
    }

    @Override
    public String attributeValue(int index) {
        return reader.getAttributeValue(index);
    }

    @Override
    public String text() throws XMLStreamException {
        return reader.getElementText();
    }
}
