// eyeriss: row-stationary, in the manner of Eyeriss. Bands of output rows over clusters; rows and columns of a band over
// the elements of a cluster. ClusterSz is the width of the array.
Dataflow {
    TemporalMap(1,1) C;
    TemporalMap(1,1) K;
    SpatialMap(ClusterSz,ClusterSz) Y';
    TemporalMap(Sz(S),Sz(S)) X';
    TemporalMap(Sz(R),Sz(R)) R;
    TemporalMap(Sz(S),Sz(S)) S;
    Cluster(ClusterSz, P);
    TemporalMap(1,1) K;
    TemporalMap(1,1) C;
    SpatialMap(Sz(R),1) Y;
    SpatialMap(Sz(S),1) X;
    TemporalMap(Sz(R),Sz(R)) R;
    TemporalMap(Sz(S),Sz(S)) S;
}
