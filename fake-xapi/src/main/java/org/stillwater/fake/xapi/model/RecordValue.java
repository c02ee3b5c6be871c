package org.stillwater.fake.xapi.model;

/**
 * The fields of an object in wire order, without their names. The array is not changed after it is
 * given here.
 */
@SuppressWarnings("ArrayRecordComponent") // compared by the store's generations, never by content
public record RecordValue(XClass type, Object[] values) {

    /** The value of a field. */
    public Object get(String field) {
        return values[type.index(field)];
    }
}
